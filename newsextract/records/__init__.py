"""The data items of records: leaves → lines → columns → labelled items."""
