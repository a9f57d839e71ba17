"""Print the articles of a news site as they come: ``python articles.py https://news.example/ --limit 10``."""

import argparse

import newsextract

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--proxy", help="for example http://127.0.0.1:8080")
    arguments = parser.parse_args()
    keys = {"proxy": arguments.proxy} if arguments.proxy else {}
    for article in newsextract.crawl(arguments.url, limit=arguments.limit, **keys):
        print(article.date, article.title, article.url, sep="\t", flush=True)
