import pytest

from plotbook import open_book


@pytest.fixture
def db():
    book = open_book(":memory:")
    book.executescript(
        """
        INSERT INTO people VALUES (1, 'Aylin', '2015-03-01'), (2, 'Bert', '2018-05-01'),
            (3, 'Cora', '2020-01-01'), (4, 'Dov', '2023-02-01');
        INSERT INTO plots VALUES (1, '1', 200), (2, '2', 180), (3, '3a', 90);
        INSERT INTO tenancies (plot_id, person_id, from_on, to_on) VALUES
            (1, 1, '2015-04-01', NULL), (2, 2, '2018-06-01', '2023-10-31');
        INSERT INTO waiting (person_id, since) VALUES (4, '2023-02-01'), (3, '2020-01-01'),
            (1, '2019-01-01');
        """
    )
    return book
