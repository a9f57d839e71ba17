"""Dates in texts and metadata values."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from newsextract.fields.dates import is_date, likely_month_first, parse_dates, parse_stamp

NOW = datetime(2020, 6, 1, 12, 0, tzinfo=timezone(timedelta(hours=8)))


def values(text: str, language: str | None = "en") -> list[str]:
    return [one.value for one in parse_dates(text, language=language, fetched_at=NOW)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2010年12月15日 08:15", "zh", "2010-12-15T08:15"),
        ("2010年12月15日上午8时15分", "zh", "2010-12-15T08:15"),
        ("2010年12月15日 下午3点20分", "zh", "2010-12-15T15:20"),
        ("二零一零年十二月十五日", "zh", "2010-12-15"),
        ("二〇一〇年十二月二十五日", "zh", "2010-12-25"),
        ("二○一一年三月十日", "zh", "2011-03-10"),
        ("２０１０年１２月１５日", "zh", "2010-12-15"),
        ("民國99年12月15日", "zh", "2010-12-15"),
        ("令和元年5月3日", "ja", "2019-05-03"),
        ("2010/12/15(水) 10:20", "ja", "2010-12-15T10:20"),
        ("2015년 3월 4일 오후 3:20", "ko", "2015-03-04T15:20"),
        ("发布时间：2010-12-15 08:15:30", "zh", "2010-12-15T08:15:30"),
        ("2010.12.15", "zh", "2010-12-15"),
        ("15.12.2010, 08:30 Uhr", "de", "2010-12-15T08:30"),
        ("كتب ٢٥ نوفمبر ٢٠١٥ | ١٧:٣٥", "ar", "2015-11-25T17:35"),
        ("12 تشرين الثاني 2015", "ar", "2015-11-12"),
        ("۲۱ آبان ۱۳۹۸ - ۱۴:۳۵", "fa", "2019-11-12T14:35"),
        ("تاریخ انتشار: ۱۳۹۸/۱۲/۲۹", "fa", "2020-03-19"),
        ("12 พ.ย. 2562 14:35 น.", "th", "2019-11-12T14:35"),
        ("12 พฤศจิกายน 2019", "th", "2019-11-12"),
        ("12 नवंबर 2019, 02:35 PM", "hi", "2019-11-12T14:35"),
        ("২৫ নভেম্বর ২০১৫", "bn", "2015-11-25"),
        ("ngày 12 tháng 11 năm 2019", "vi", "2019-11-12"),
        ("15. Dezember 2010 um 8.30 Uhr", "de", "2010-12-15T08:30"),
        ("26 | 01 | 2019", "de", "2019-01-26"),
        ("Dec 15, 2010 8:30 AM EST", "en", "2010-12-15T08:30-05:00"),
        ("12:45 p.m. EST, March 3, 2012", "en", "2012-03-03T12:45-05:00"),
        ("Wed, 15 Dec 2010 08:30:00 GMT", "en", "2010-12-15T08:30:00+00:00"),
        ("Fri Oct 20 01:41:48 UTC 2017", "en", "2017-10-20T01:41:48+00:00"),
        ("2010-12-15 08:30 GMT+8", "en", "2010-12-15T08:30+08:00"),
        ("2010-12-15 08:30 CST", "zh", "2010-12-15T08:30+08:00"),
        ("2010-12-15 08:30 CST", "en", "2010-12-15T08:30-06:00"),
        ("Dec 15, 2010 12:05 AM", "en", "2010-12-15T00:05"),
        ("December 15th, 2010", "en", "2010-12-15"),
        ("15th of December 2010", "en", "2010-12-15"),
        ("Sept. 3, 2014", "en", "2014-09-03"),
        ("December 2010", "en", "2010-12"),
        ("2010年12月", "zh", "2010-12"),
        ("15 de diciembre de 2010", "es", "2010-12-15"),
        ("le 15 décembre 2010 à 10h30", "fr", "2010-12-15T10:30"),
        ("1er janvier 2011", "fr", "2011-01-01"),
        ("15 dicembre 2010", "it", "2010-12-15"),
        ("15 grudnia 2010", "pl", "2010-12-15"),
        ("3. 5. 2016 12:30", "cs", "2016-05-03T12:30"),
        ("10 Eylül 2012 Pazartesi 14:04", "tr", "2012-09-10T14:04"),
        ("15 декабря 2010, 14:30", "ru", "2010-12-15T14:30"),
        ("15 desember 2010", "id", "2010-12-15"),
        ("15. joulukuuta 2010", "fi", "2010-12-15"),
        ("2010. december 15.", "hu", "2010-12-15"),
        ("2019. gada 9. janvāris", "lv", "2019-01-09"),
        ("12 listopada 2010", "pl", "2010-11-12"),
        ("12. listopada 2010", "hr", "2010-10-12"),
        ("15-Dec-10", "en", "2010-12-15"),
        ("15/Dec/10 2:30 PM", "en", "2010-12-15T14:30"),
        ("10/12/15(水)14:30:05", "ja", "2010-12-15T14:30:05"),
        ("15.12.10", "de", "2010-12-15"),
        # The time of day behind a word or a weekday, or with a dot.
        ("14 marzo 2019 - 09.30", "it", "2019-03-14T09:30"),
        ("14 Mar 2019 ore 9.30", "it", "2019-03-14T09:30"),
        ("za 14 mrt 2019, 09.30 uur", "nl", "2019-03-14T09:30"),
        ("14.mar.2019 (quinta-feira) - 9h30", "pt", "2019-03-14"),
        ("14.mar.2019 (quinta) - 9h30", "pt", "2019-03-14T09:30"),
        ("14.03.2019 r. godz. 09:30", "pl", "2019-03-14T09:30"),
        ("14. března 2019 v 9:30", "cs", "2019-03-14T09:30"),
        ("14 mars 2019 kl. 09.30", "sv", "2019-03-14T09:30"),
        ("14.3.2019 klo 9.30", "fi", "2019-03-14T09:30"),
        ("14 березня 2019 р., 09:30", "uk", "2019-03-14T09:30"),
        ("14 марта 2019 года, 09:30 мск", "ru", "2019-03-14T09:30+03:00"),
        ("14. март 2019. у 09:30", "sr", "2019-03-14T09:30"),
        ("14/03/2019, 9:30 μ.μ.", "el", "2019-03-14T21:30"),
        ("14 de marzo de 2019, 9:30 p. m.", "es", "2019-03-14T21:30"),
        ("14 مارس 2019 09:30 م", "ar", "2019-03-14T21:30"),
        ("২৫ নভেম্বর ২০১৫, ০৯:৩০ পিএম", "bn", "2015-11-25T21:30"),
        ("14 मार्च 2019, शाम 5:30 बजे", "hi", "2019-03-14T17:30"),
        ("14 มีนาคม 2562 เวลา 09.30 น.", "th", "2019-03-14T09:30"),
        ("Sabtu, 14 Mar 2019 09:30 WITA", "id", "2019-03-14T09:30+08:00"),
        ("2019年3月14日（木）午前9時30分", "ja", "2019-03-14T09:30"),
        # Months of further languages, in capitals, and in two calendars.
        ("14 KASIM 2019", "tr", "2019-11-14"),
        ("5 HAZİRAN 2019", "tr", "2019-06-05"),
        ("14 ΜΑΡΤΙΟΥ 2019", "el", "2019-03-14"),
        ("יום חמישי, 14 במרץ 2019 בשעה 09:30", "he", "2019-03-14T09:30"),
        ("14 მარტი 2019", "ka", "2019-03-14"),
        ("14 மார்ச் 2019, 9:30 AM", "ta", "2019-03-14T09:30"),
        ("மார்ச் 14, 2019", "ta", "2019-03-14"),
        ("मार्च 14, 2019", "hi", "2019-03-14"),
        ("الخميس 14 آذار/مارس 2019 - 09:30", "ar", "2019-03-14T09:30"),
        ("14 مارس/آذار 2019", "ar", "2019-03-14"),
        ("14 جانفي 2019", "ar", "2019-01-14"),
        ("۱۳۹۷/۱۲/۲۳ ۰۹:۳۰", "fa", "2019-03-14T09:30"),
        ("1397-12-23 09:30", "fa", "2019-03-14T09:30"),
        ("۲۳ اسفند ماه ۱۳۹۷، ۹:۳۰", "fa", "2019-03-14T09:30"),
        ("14 มี.ค. 62 09:30 น.", "th", "2019-03-14T09:30"),
        ("14/03/2562 09:30", "th", "2019-03-14T09:30"),
        ("2562-03-14T09:30:00+07:00", "th", "2019-03-14T09:30:00+07:00"),
    ],
)
def test_written_forms(text: str, language: str, expected: str) -> None:
    assert values(text, language) == [expected]


def test_the_second_of_two_dates_in_a_row_does_not_hide_the_first() -> None:
    assert values("Dec 15 2010, 2:30 PM 2010-12-16 09:12:28", "en") == ["2010-12-15T14:30", "2010-12-16T09:12:28"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3小时前", "2020-06-01T09:00+08:00"),
        ("昨天 08:30", "2020-05-31T08:30"),
        ("2 hours ago", "2020-06-01T10:00+08:00"),
        ("an hour ago", "2020-06-01T11:00+08:00"),
        ("yesterday", "2020-05-31"),
        ("2 weeks ago", "2020-05-18"),
        ("3 months ago", "2020-03"),
        ("vor 2 Stunden", "2020-06-01T10:00+08:00"),
        ("il y a 3 jours", "2020-05-29"),
        ("3 years, 10 months ago", "2016-08"),
        ("1 month, 2 weeks ago", "2020-04-17"),
        ("2 hours and 30 minutes ago", "2020-06-01T09:30+08:00"),
        ("vor 1 Jahr und 2 Monaten", "2019-04"),
        ("3年10个月前", "2016-08"),
        ("3 horas atrás", "2020-06-01T09:00+08:00"),
        ("před 3 hodinami", "2020-06-01T09:00+08:00"),
        ("acum 20 de minute", "2020-06-01T11:40+08:00"),
        ("πριν από 3 ώρες", "2020-06-01T09:00+08:00"),
        ("3 ώρες πριν", "2020-06-01T09:00+08:00"),
        ("i går 18.45", "2020-05-31T18:45"),
        ("för 3 timmar sedan", "2020-06-01T09:00+08:00"),
        ("3 tuntia sitten", "2020-06-01T09:00+08:00"),
        ("3 години тому", "2020-06-01T09:00+08:00"),
        ("пре 3 сата", "2020-06-01T09:00+08:00"),
        ("לפני 3 שעות", "2020-06-01T09:00+08:00"),
        ("۳ ساعت پیش", "2020-06-01T09:00+08:00"),
        ("منذ 3 ساعات", "2020-06-01T09:00+08:00"),
        ("3 घंटे पहले", "2020-06-01T09:00+08:00"),
        ("৩ ঘণ্টা আগে", "2020-06-01T09:00+08:00"),
        ("3 மணி நேரம் முன்பு", "2020-06-01T09:00+08:00"),
        ("3 ชั่วโมงที่แล้ว", "2020-06-01T09:00+08:00"),
        ("3 giờ trước", "2020-06-01T09:00+08:00"),
        ("3 jam yang lalu", "2020-06-01T09:00+08:00"),
        ("3시간 전", "2020-06-01T09:00+08:00"),
        ("भोपाल3 घंटे पहले", "2020-06-01T09:00+08:00"),
    ],
)
def test_relative_dates_count_from_the_fetch(text: str, expected: str) -> None:
    assert values(text, None) == [expected]


def test_relative_dates_are_those_of_the_zone() -> None:
    late = datetime(2020, 6, 1, 23, 0, tzinfo=UTC)
    times = [late, late.astimezone(timezone(timedelta(hours=8)))]  # equal, but of two days
    found = [parse_dates("yesterday", language="en", fetched_at=time)[0].value for time in times]
    assert found == ["2020-05-31", "2020-06-01"]


@pytest.mark.parametrize("text", ["3 hours ago", "yesterday", "2 weeks ago", "12 years ago"])
def test_before_the_year_1_there_is_no_date(text: str) -> None:
    assert parse_dates(text, language="en", fetched_at=datetime(1, 1, 1, tzinfo=UTC)) == []


def test_words_of_another_language_are_no_relative_dates() -> None:
    assert values("Klicken Sie hier", "de") == []  # "hier" is yesterday in French
    assert values("hier", "fr") == ["2020-05-31"]


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "2010-03-04"), ("en-US", "2010-03-04"), ("en-GB", "2010-04-03"), ("fr", "2010-04-03"), ("en-au", "2010-04-03")],
)
def test_order_of_day_and_month_follows_the_language(language: str, expected: str) -> None:
    assert values("03/04/2010", language) == [expected]


def test_impossible_order_is_turned() -> None:
    assert values("25/04/2010", "en") == ["2010-04-25"]
    assert values("04/25/2010", "de") == ["2010-04-25"]
    assert values("05/12/2020", "de") == ["2020-05-12"]  # 5 December would be the future


@pytest.mark.parametrize(
    "text",
    [
        "31.02.2010",
        "2010-13-01",
        "2010年13月1日",
        "15 December 1989",
        "2020-06-03",
        "2031年1月1日",
        "Copyright 2010 Example",
        "call 555-2010-12",
        "version 1.2.3.4",
        "R8.3.14",
        "十二月十五日",
        "",
    ],
)
def test_what_is_no_report_date(text: str) -> None:
    assert values(text) == []


def test_a_day_ahead_is_allowed_for_zones() -> None:
    assert values("2020-06-02") == ["2020-06-02"]


def test_all_dates_in_order_with_their_places() -> None:
    text = "Published 3 May 2019, updated 4 May 2019 at 10:30"
    found = parse_dates(text, language="en", fetched_at=NOW)
    assert [one.value for one in found] == ["2019-05-03", "2019-05-04T10:30"]
    assert [text[one.start : one.end] for one in found] == ["3 May 2019", "4 May 2019 at 10:30"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2010-12-15T08:30:00.000Z", "2010-12-15T08:30:00+00:00"),
        ("20101215T083000Z", "2010-12-15T08:30:00+00:00"),
        ("2010-12-15T08:30:00+0800", "2010-12-15T08:30:00+08:00"),
        ("2010-12-15 08:30:00 -05:00", "2010-12-15T08:30:00-05:00"),
        ("2010-12-15T08:30", "2010-12-15T08:30"),
        ("20101215", "2010-12-15"),
        ("20101215083000", "2010-12-15T08:30:00"),
        ("2010-12", "2010-12"),
        ("2010", "2010"),
        ("1292401800", "2010-12-15T08:30:00+00:00"),
        ("1292401800000", "2010-12-15T08:30:00+00:00"),
        ("Fri, 20 Oct 2017 01:41:48 -0400", "2017-10-20T01:41:48-04:00"),
        ("18.10.2019 17:08", "2019-10-18T17:08"),
    ],
)
def test_metadata_values(value: str, expected: str) -> None:
    found = parse_stamp(value, language="de", fetched_at=NOW)
    assert found is not None
    assert found.value == expected


@pytest.mark.parametrize("value", ["", "never", "9999999999999", "4102444800", "2010-02-30", "0000-00-00", "99999999"])
def test_metadata_values_that_say_nothing(value: str) -> None:
    assert parse_stamp(value, language=None, fetched_at=datetime(2020, 6, 1, tzinfo=UTC)) is None


def test_precision_says_how_much_is_known() -> None:
    found = [parse_stamp(v, language=None, fetched_at=NOW) for v in ("2010", "2010-12", "2010-12-15", "2010-12-15T08:30")]
    assert [one.precision for one in found if one] == ["year", "month", "day", "minute"]


def test_days_that_the_persian_calendar_does_not_have_are_no_dates() -> None:
    assert values("۳۱ مهر ۱۳۹۸", "fa") == []
    assert values("12 نفر از 1398 نفر", "fa") == []


@pytest.mark.parametrize(
    "text",
    [
        "3 March 2026",
        "Dienstag, den 3. März 2026",
        "3 марта 2026",
        "3 de marzo de 2026",
        "2026年3月3日",
        "3. 3. 2026",
        "yesterday",
    ],
)
def test_a_text_that_is_hardly_more_than_a_date(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The 3 March 2026 meeting of the council was put off",
        "2022 年 5 月 の記事",
        "Версия 3.1",
        "12 comments",
        "3 March 2026 " * 6,
    ],
)
def test_a_text_with_more_than_a_date_or_less(text: str) -> None:
    assert not is_date(text)


def test_numeric_dates_that_share_a_number_are_of_one_month() -> None:
    assert likely_month_first(["05/03/2012", "06/03/2012 10:20", "08/03/2012", "09/03/2012"]) is False
    assert likely_month_first(["03/05/2012", "03/06/2012 10:20", "03/08/2012", "03/09/2012"]) is True
    assert likely_month_first(["05/03/2012", "06/03/2012", "08/03/2012"]) is None
    assert likely_month_first(["01/01/2012", "02/01/2012", "03/01/2012", "04/01/2012"]) is None
    assert likely_month_first(["05/03/2012", "06/03/2012", "08/03/2012", "09/03/2012", "05/04/2012", "05/09/2012"]) is None
