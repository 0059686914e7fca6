"""The threat model as a matrix: who, what they hold, what they learn and do not learn, and the tests that this rests on.

tests/docs/test_threat_model.py fails where one of the tests is gone.
"""

from dataclasses import dataclass

from docs.make.markdown import code, page, table


@dataclass(frozen=True)
class Threat:
    """Somebody with what they hold; `rests_on` names tests by file and function."""

    who: str
    holds: str
    learns: str
    not_learned: str
    rests_on: tuple[str, ...]


THREATS = (
    Threat(
        "A researcher of the survey",
        "randomised responses, totals, estimates",
        "estimates for groups; odds of a guess about one response change by the stated factor at most",
        "who sent which response; anybody's true answer",
        (
            "tests/audit/test_wire.py::test_wire_submissions_follow_channel",
            "tests/panel/test_differencing.py::test_counts_one_response_changes_nothing_shown",
        ),
    ),
    Threat(
        "A colleague who compares an open survey before and after somebody answered",
        "pages and files of two moments",
        "nothing: counts move in steps of ten responses",
        "which response was added",
        (
            "tests/panel/test_differencing.py::test_counts_of_a_group_rise_in_steps_of_ten",
            "tests/panel/test_differencing.py::test_closing_that_is_undone_shows_nothing",
        ),
    ),
    Threat(
        "A researcher of another team",
        "an account",
        "nothing, not even that a survey exists",
        "surveys, responses and reports of others",
        (
            "tests/panel/test_access.py::test_every_address_answers_by_role",
            "tests/panel/test_access.py::test_guessed_ids_find_nothing_of_others",
        ),
    ),
    Threat(
        "The operator, honest about the page",
        "the database, its files, logs and backups",
        "the randomised responses",
        "addresses, browsers, times of day, the order of responses; anybody's true answer",
        (
            "tests/system/test_installation.py::test_canary_true_answer_is_nowhere",
            "tests/system/test_installation.py::test_canary_address_and_browser_are_nowhere",
            "tests/storage/test_order_attack.py::test_order_attack_rewritten_store_finds_nothing",
        ),
    ),
    Threat(
        "The operator, or an intruder on the server, who changes the page",
        "the server",
        "true answers of those who answer on the changed page, until somebody notices",
        "answers that were sent before; how to stay unnoticed by who compares pages from outside",
        (
            "tests/surveys/test_page_log.py::test_changed_page_is_found",
            "tests/surveys/test_page_log.py::test_log_shown_differently_to_one_address_is_found",
            "tests/browser/respondent/test_page_refusals.py::test_page_changed_on_the_way_is_refused",
        ),
    ),
    Threat(
        "A thief of the database, or a court",
        "every stored byte",
        "what the honest operator learns",
        "anybody's true answer: it was never there",
        (
            "tests/system/test_installation.py::test_canary_report_is_in_database_only",
            "tests/storage/test_link_attack.py::test_used_code_is_in_no_database_file",
        ),
    ),
    Threat(
        "A thief of stored backups",
        "encrypted files",
        "nothing without the private key, which is elsewhere",
        "their content",
        ("tests/storage/test_stored_backups.py::test_unencrypted_backup_is_not_stored",),
    ),
    Threat(
        "Somebody who has the database and knows who was invited with which code",
        "both",
        "with single-use links who took part; with anonymous ones who fetched a link",
        "which response is whose",
        ("tests/storage/test_link_attack.py::test_link_attack_blind_tokens_finds_nothing",),
    ),
    Threat(
        "Somebody who knows four background facts of a person",
        "every stored response",
        "that the person is in one of the cells that fit, of at least as many people as the design expects",
        "more about a randomised answer than its odds",
        (
            "tests/surveys/test_background_attack.py::test_cells_hide_who_knows_four_facts",
            "tests/surveys/test_background_attack.py::test_randomised_answers_keep_their_odds_in_every_cell",
        ),
    ),
    Threat(
        "An observer of the network",
        "encrypted connections, their times and sizes",
        "that somebody opened the survey, and sent",
        "what was answered: every response has the same length",
        ("tests/browser/respondent/test_channel.py::test_reports_follow_channel_and_have_one_shape",),
    ),
    Threat(
        "The next user of a device",
        "the browser and its storage",
        "that the survey was open; until it has arrived, the randomised response",
        "the true answers: they were in the page's memory alone",
        (
            "tests/audit/test_wire.py::test_wire_killed_and_restored_browser_sends_one_body",
            "tests/audit/test_wire.py::test_wire_unsubmitted_page_sends_nothing",
        ),
    ),
    Threat(
        "A reader of a report",
        "estimates of groups of at least ten",
        "how common something is, with its uncertainty",
        "what any one person answered",
        (
            "tests/estimator/test_groups.py::test_run_below_ten_reports_releases_nothing",
            "tests/estimator/test_background_groups.py::test_released_rows_have_ten_responses_and_hold_each_cell_once",
        ),
    ),
    Threat(
        "Somebody who sends made-up responses",
        "the link",
        "nothing",
        "how to move an estimate by more than the bound that the report states",
        ("tests/library/test_poisoning.py::test_poisoning_attacks_reach_but_do_not_pass_bound",),
    ),
    Threat(
        "Somebody with a researcher's password",
        "the password",
        "what that role may see, where no second factor is asked for",
        "anybody's true answer; with a second factor or a passkey, anything",
        (
            "tests/panel/test_authentication.py::test_second_factor_is_required_before_any_page",
            "tests/panel/test_passkeys.py::test_device_that_proves_nothing_is_refused",
        ),
    ),
    Threat(
        "Somebody who has left the institution",
        "an open session, access tokens",
        "for five minutes what they could see before",
        "anything after that, where sign-in goes through the institution",
        (
            "tests/panel/test_single_sign_on.py::test_who_leaves_the_institution_is_out",
            "tests/panel/test_single_sign_on.py::test_token_of_a_program_waits_for_its_owner",
            "tests/panel/test_directory_sign_in.py::test_who_leaves_the_directory_is_out",
        ),
    ),
    Threat(
        "Somebody between Candor and the institution's directory",
        "the network",
        "that somebody signs in",
        "a password, or a person to be, where sign-in goes through LDAP",
        (
            "tests/panel/test_directory_sign_in.py::test_directory_that_cannot_be_trusted_gets_no_password",
            "tests/panel/test_directory_sign_in.py::test_no_password_is_sent_where_tls_is_refused",
            "tests/panel/test_directory_sign_in.py::test_referral_to_another_server_is_not_followed",
        ),
    ),
    Threat(
        "Somebody who took over the web server, where sign-in goes through LDAP",
        "what people type into the sign-in page from then on",
        "their passwords at the institution; a provider of OpenID Connect keeps these from Candor",
        "passwords of before: none is stored or logged",
        ("tests/panel/test_directory_sign_in.py::test_password_is_stored_and_logged_nowhere",),
    ),
)

ABOUT = """\
Each row names the tests that it rests on; the page is written from the same list, and a test fails where one of them is gone. Nobody in
the table learns a true answer from what was sent as designed: it never leaves the respondent's device. The bound on a guess, the privacy loss, is
computed exactly for each survey and stands in its report; see [the privacy model](../explanation/privacy-model.md).

What no row covers: somebody who stands behind the respondent, a device that is not the respondent's own to trust, and a browser that was made to spy.
"""


def text() -> str:
    rows = [
        (one.who, one.holds, one.learns, one.not_learned, ", ".join(code(name) for name in one.rests_on))
        for one in THREATS
    ]
    heads = ("Who", "Holds", "Learns", "Does not learn", "Rests on")
    return page(
        "Threat model", "For security reviewers, data protection officers and ethics boards.", ABOUT, table(heads, rows)
    )
