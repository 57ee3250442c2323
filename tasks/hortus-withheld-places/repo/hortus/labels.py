"""The paper label, 10 by 6 cm."""


def label(store, specimen_id):
    s = store.specimens[specimen_id]
    lines = [store.taxa[s.taxon].name, f"{s.locality}, {s.county}, {s.country}"]
    if s.elevation_m is not None:
        lines.append(f"{s.elevation_m} m")
    lines.append(s.verbatim_coordinates or f"{s.lat:.4f} {s.lon:.4f}")
    lines.append(f"leg. {s.collector} {s.year}    {s.gathering}")
    return "\n".join(lines)
