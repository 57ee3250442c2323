UPDATE loans SET returned_on = NULL WHERE returned_on = '';
