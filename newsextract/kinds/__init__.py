"""Which kind a page is: article, documentation, service, forum, collection, listing, product, or none of them."""

from newsextract.kinds.judge import DOUBTFUL, PageKind, judge_kind

__all__ = ["DOUBTFUL", "PageKind", "judge_kind"]
