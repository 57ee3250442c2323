ALTER TABLE loans ADD COLUMN written_off_on TEXT;
