"""Words of the set's pages: people, titles and headlines that never were, drawn with a fixed seed."""

from __future__ import annotations

import random

_GIVEN = (
    "Ada Bruno Clara Dario Edith Falk Greta Hugo Ilse Jonas Karin Leo Mira Nils Olga Pavel Quirin Rosa Sven Thea".split()
)
_FAMILY = (
    "Abendroth Bellamy Castellan Dorsey Eklund Fontaine Grevel Halloran Ivarsen Jellinek Kovarik Lindqvist Marchetti Norden"
    " Ostrander Pemberton Quast Rydell Sandoval Tillmann Ulvaeus Vandermeer Wexford Yardley Zeller"
).split()
_HOW = (
    "Adaptive Approximate Bounded Cooperative Declarative Efficient Fast Incremental Lazy Parallel Robust Scalable".split()
)
_WHAT = (
    "Aggregation|Access Paths|Bitmap Indexes|Cache Coherence|Constraint Solving|Join Processing|Data Placement|Lock Tables"
    "|Query Rewriting|Plan Selection|Recovery|Schema Evolution|Similarity Search|Spatial Joins|View Maintenance"
).split("|")
_WHERE = (
    "Active Databases|Broadcast Disks|Clustered Stores|Digital Libraries|Federated Systems|Geographic Data|Image Archives"
    "|Knowledge Bases|Mobile Agents|Multimedia Servers|Object Bases|Planning Systems|Temporal Databases|Wide-Area Networks"
).split("|")
TOPICS = (
    "Active Rules|Benchmarks|Concurrency|Data Mining|Engines|Federation|Geometry|Heterogeneity|Indexing|Joins|Knowledge"
    "|Languages|Mediators|Networks|Optimisation|Parallelism|Queries|Replication|Storage|Transactions|Updates|Views"
).split("|")

_CHINESE_FAMILY = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
_CHINESE_GIVEN = "明华建国志强丽娟文博雅琴晓东海燕思远立新春梅"
_PLACE = "江南新港|东湖市|青石县|云岭地区|北河省|白沙镇|长桥区|临海市".split("|")
_DOES = "举行|启动|公布|完成|推进|发布|召开|加快".split("|")
_THING = "春季植树活动|图书下乡计划|水利工程验收|青年科技展览|铁路复线建设|中学生运动会|环境保护会议|农村电网改造".split("|")
_MORE = "群众积极参与|专家表示欢迎|明年全面推开|首批成果公布|各界反响热烈|效益初步显现".split("|")


class Words:
    """One page's words."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self._titles: set[str] = set()

    def person(self) -> str:
        return f"{self.random.choice(_GIVEN)} {self.random.choice(_FAMILY)}"

    def people(self, most: int = 4) -> list[str]:
        """One to ``most`` different people."""
        found: list[str] = []
        for _ in range(self.random.randint(1, most)):
            name = self.person()
            if name not in found:
                found.append(name)
        return found

    def title(self) -> str:
        """A paper's title, each given once."""
        while True:
            form = self.random.choice(
                ("{how} {what} in {where}", "{what} for {where}: A {how} Approach", "{what} & {where}")
            )
            title = form.format(
                how=self.random.choice(_HOW), what=self.random.choice(_WHAT), where=self.random.choice(_WHERE)
            )
            if title not in self._titles:
                self._titles.add(title)
                return title

    def pages(self, first: int) -> tuple[str, int]:
        """Pages from a first one, and where the next paper begins."""
        last = first + self.random.randint(5, 14)
        return f"{first}-{last}", last + 1

    def chinese_person(self) -> str:
        return self.random.choice(_CHINESE_FAMILY) + "".join(self.random.sample(_CHINESE_GIVEN, 2))

    def headline(self) -> str:
        """A Chinese headline, each given once."""
        while True:
            title = self.random.choice(_PLACE) + self.random.choice(_DOES) + self.random.choice(_THING)
            if self.random.random() < 0.6:
                title += " " + self.random.choice(_MORE)
            if title not in self._titles:
                self._titles.add(title)
                return title

    def sentence(self) -> str:
        """A Chinese sentence."""
        return (
            f"本报讯 {self.random.choice(_PLACE)}日前{self.random.choice(_DOES)}{self.random.choice(_THING)}，"
            f"{self.random.choice(_MORE)}，{self.random.choice(_PLACE)}也将{self.random.choice(_DOES)}"
            f"{self.random.choice(_THING)}。"
        )
