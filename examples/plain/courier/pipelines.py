"""An item pipeline of the project's own."""


class Words:
    """Adds the number of words to each record."""

    def process_item(self, item):
        """Count them."""
        return {**item, "words": len(item["text"].split())}
