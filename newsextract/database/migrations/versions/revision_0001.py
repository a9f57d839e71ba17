"""The first version: new databases get the latest tables at once, so there is nothing to do."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing."""
