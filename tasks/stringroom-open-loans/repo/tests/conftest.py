import pytest

from stringroom import open_room


@pytest.fixture
def room():
    connection = open_room(":memory:")
    connection.executescript(
        """
        INSERT INTO instruments VALUES
            (1, 'violin', '1/2', 60000), (2, 'violin', '4/4', 180000), (3, 'cello', '4/4', 420000);
        INSERT INTO pupils VALUES (1, 'Nele Aydin', 'Frau Koch'), (2, 'Tom O''Hara', 'Herr Ruiz');
        """
    )
    yield connection
    connection.close()


@pytest.fixture
def lend(room):
    def write(instrument, pupil, starts, due, returned=None, written_off=None):
        room.execute(
            "INSERT INTO loans (instrument_id, pupil_id, starts_on, due_on, returned_on, written_off_on)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (instrument, pupil, starts, due, returned, written_off),
        )
        room.commit()

    return write
