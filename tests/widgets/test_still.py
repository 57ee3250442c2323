"""What a widget leaves for viewers without a kernel."""

from agenteval.widgets import compare_arms, explore


def test_an_explorer_is_a_picture_and_a_table(every_outcome):
    bundle = explore(every_outcome)._repr_mimebundle_()
    page = bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert 'src="data:image/png;base64,' in page
    assert "144 trials" in page
    assert "most failures first" in page
    assert "and 134 more rows" in page
    assert "<script" not in page


def test_what_is_hidden_is_left_out(sample):
    widget = compare_arms(sample)
    assert widget.result.verdict in widget._repr_mimebundle_()["text/html"]
    widget.candidate = widget.baseline
    page = widget._repr_mimebundle_()["text/html"]
    assert "cannot be compared with itself" in page
    assert "img" not in page
