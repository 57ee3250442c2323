// placecard kiosk 1.0.4 - as installed on the tablets, DO NOT EDIT
export function Kiosk(snapshot) {
  var tables = {}, places = {}, notes = {}, seq = snapshot.seq;
  snapshot.tables.forEach(function (t) { tables[t[0]] = t[1]; });
  snapshot.places.forEach(function (p) { places[p[0]] = p[1] + '/' + p[2]; });
  snapshot.notes.forEach(function (n) { notes[n[0]] = n[1]; });

  function stop(why) { throw new Error('kiosk stopped: ' + why); }
  function taken(place, guest) {
    return Object.keys(places).some(function (g) { return places[g] === place && g !== guest; });
  }

  var ops = {
    addTable: function (o) {
      if (tables[o.table] || !(o.seats >= 1 && o.seats <= 12)) stop('addTable');
      tables[o.table] = o.seats;
    },
    removeTable: function (o) {
      if (!tables[o.table]) stop('removeTable');
      delete tables[o.table];
      Object.keys(places).forEach(function (g) {
        if (places[g].split('/')[0] === o.table) delete places[g];
      });
    },
    seat: function (o) {
      var place = o.table + '/' + o.seat;
      if (!(o.seat >= 1 && o.seat <= tables[o.table]) || taken(place, o.guest)) stop('seat');
      places[o.guest] = place;
    },
    unseat: function (o) {
      if (!places[o.guest]) stop('unseat');
      delete places[o.guest];
    },
    note: function (o) {
      if (o.text) notes[o.guest] = o.text; else delete notes[o.guest];
    }
  };

  this.receive = function (entry) {
    if (entry.seq !== seq + 1) stop('gap');
    if (!entry.ops || !entry.ops.length) stop('empty entry');
    entry.ops.forEach(function (o) { if (!ops.hasOwnProperty(o.op)) stop('op ' + o.op); ops[o.op](o); });
    seq = entry.seq;
  };
  this.placeOf = function (guest) { return places[guest] || null; };
  this.screen = function () {
    return Object.keys(places).sort().map(function (g) {
      return g + ' ' + places[g] + (notes[g] ? ' *' : '');
    });
  };
}
