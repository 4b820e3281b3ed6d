"""All commands of the command line: where each is, and its help."""

from __future__ import annotations

from typing import Any

COMMANDS = {
    "up": (
        "inforadar.cli.system.up:up",
        "Start everything: API, web page and worker; an empty database gets the sample.",
    ),
    "fetch": ("inforadar.cli.runs.fetch:fetch", "Fetch all enabled feeds now and show progress."),
    "api": ("inforadar.cli.system.serve:api", "Start only the API and the web page."),
    "worker": ("inforadar.cli.system.worker:worker", "Start only a worker; --once runs one cycle and exits."),
    "brief": ("inforadar.cli.story.brief:brief", "Print the most-told stories of the day."),
    "export": ("inforadar.cli.system.state:export", "Export everything to one file."),
    "import": ("inforadar.cli.system.state:import_", "Import an export into an empty database."),
    "doctor": ("inforadar.cli.system.doctor:doctor", "Diagnose problems and suggest fixes."),
}
"""{name: (import path, help)}."""

GROUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "feed": (
        "Add, inspect and change feeds.",
        {
            "add": ("inforadar.cli.feed.add:add", "Add a feed."),
            "list": ("inforadar.cli.feed.feeds:list_", "List all feeds with their health and next run."),
            "show": ("inforadar.cli.feed.feeds:show", "Show everything about one feed."),
            "preview": ("inforadar.cli.feed.preview:preview", "Show what selectors find on a listing page."),
            "delays": (
                "inforadar.cli.feed.delays:delays",
                "Compare how late news was found with how late it was expected.",
            ),
            "edit": ("inforadar.cli.feed.edit:edit", "Change a feed's URL, settings or credentials."),
            "redate": (
                "inforadar.cli.feed.redate:redate",
                "Correct stored dates after a change of the feed's time zone.",
            ),
            "enable": ("inforadar.cli.feed.change:enable", "Allow a feed to be fetched and served."),
            "disable": ("inforadar.cli.feed.change:disable", "Stop fetching and serving a feed immediately."),
            "polling": (
                "inforadar.cli.feed.change:polling",
                "Turn repeated fetching of a feed on or off.",
            ),
            "sync": ("inforadar.cli.feed.change:sync", "Fetch a feed now, even if it is suspended."),
            "delete": ("inforadar.cli.feed.change:delete", "Delete a feed; `feed restore` brings it back."),
            "restore": ("inforadar.cli.feed.change:restore", "Bring a deleted feed back as it was."),
        },
    ),
    "root-domain": (
        "The domains by which feeds are grouped.",
        {
            "list": ("inforadar.cli.feed.root_domains:list_", "List all root domains."),
            "set": ("inforadar.cli.feed.root_domains:set_", "Set the root domain of a feed."),
            "clear": ("inforadar.cli.feed.root_domains:clear", "Clear the root domain of a feed."),
        },
    ),
    "item": (
        "Read the stored items.",
        {
            "list": ("inforadar.cli.item.list:list_", "List items, newest first."),
            "show": (
                "inforadar.cli.item.show:show",
                "Show one item: metadata, clean text, analysis and changes.",
            ),
            "refresh": ("inforadar.cli.item.show:refresh", "Fetch an item's article again."),
            "history": ("inforadar.cli.item.history:history", "Show how an item changed after publication."),
            "diff": ("inforadar.cli.item.history:diff", "Show the words that differ between two versions."),
        },
    ),
    "canonical": (
        "Fetch the articles behind the items.",
        {
            "run": ("inforadar.cli.item.canonical:run", "Fetch the articles of all new URLs, then exit."),
            "stats": (
                "inforadar.cli.item.canonical:stats",
                "Show stored articles, failures by host, and the queue.",
            ),
            "rebuild": (
                "inforadar.cli.item.canonical:rebuild",
                "Rebuild the data in Redis from the database.",
            ),
        },
    ),
    "analyze": (
        "Analyze the wording of items.",
        {
            "run": ("inforadar.cli.item.analyze:run", "Analyze the queued items, then build the feeds."),
            "stats": ("inforadar.cli.item.analyze:stats", "Show the queue, results, failures and cost."),
            "prompt": ("inforadar.cli.item.analyze:prompt", "Show a prompt and its version."),
        },
    ),
    "story": (
        "Reports of one event, side by side.",
        {
            "list": ("inforadar.cli.story.stories:list_", "List stories, newest first."),
            "show": ("inforadar.cli.story.stories:show", "Show one story: who says what, and why it is one."),
            "split": ("inforadar.cli.story.stories:split", "Split items off a story: not the same event."),
            "merge": ("inforadar.cli.story.stories:merge", "Merge two stories into the first."),
            "regroup": ("inforadar.cli.story.stories:regroup", "Group items again; decisions by hand stay."),
        },
    ),
    "opml": (
        "Exchange feed lists with other readers.",
        {
            "import": ("inforadar.cli.feed.opml:import_", "Add all feeds of an OPML file."),
            "export": ("inforadar.cli.feed.opml:export", "Write all feeds as an OPML file."),
        },
    ),
    "run": (
        "Reports of past runs.",
        {
            "list": ("inforadar.cli.runs.list:list_", "List runs, newest first."),
            "show": ("inforadar.cli.runs.list:show", "Show one run with every item it added or changed."),
        },
    ),
    "person": (
        "People: accounts, login links and app passwords.",
        {
            "add": ("inforadar.cli.people.person:add", "Add a person."),
            "list": ("inforadar.cli.people.person:list_", "List all people."),
            "edit": ("inforadar.cli.people.person:edit", "Change a person's name, role or settings."),
            "remove": (
                "inforadar.cli.people.person:remove",
                "Remove a person with all marks, labels, notes and app passwords.",
            ),
            "password": (
                "inforadar.cli.people.person:password",
                "Set a person's password; all their sessions end.",
            ),
            "link": (
                "inforadar.cli.people.person:link",
                "Print a link with which a person logs in once, within a day.",
            ),
            "app-password": (
                "Passwords for apps that speak the Google Reader API.",
                {
                    "add": (
                        "inforadar.cli.people.tokens:add_app_password",
                        "Make an app password and print it once.",
                    ),
                    "list": (
                        "inforadar.cli.people.tokens:list_app_passwords",
                        "List a person's app passwords.",
                    ),
                    "remove": ("inforadar.cli.people.tokens:remove_app_password", "Revoke an app password."),
                },
            ),
            "feed-token": (
                "Tokens that open private feeds by `token=` in their address.",
                {
                    "add": (
                        "inforadar.cli.people.tokens:add_feed_token",
                        "Make a feed token and print it once.",
                    ),
                    "list": ("inforadar.cli.people.tokens:list_feed_tokens", "List a person's feed tokens."),
                    "remove": ("inforadar.cli.people.tokens:remove_feed_token", "Revoke a feed token."),
                },
            ),
            "session": (
                "Browsers in which a person is logged in.",
                {
                    "list": ("inforadar.cli.people.tokens:list_sessions", "List a person's sessions."),
                    "remove": ("inforadar.cli.people.tokens:remove_session", "End a session."),
                },
            ),
            "search": (
                "Saved searches, which apps show as labels.",
                {
                    "add": ("inforadar.cli.people.searches:add", "Save a search."),
                    "list": ("inforadar.cli.people.searches:list_", "List a person's saved searches."),
                    "remove": ("inforadar.cli.people.searches:remove", "Delete a saved search."),
                },
            ),
        },
    ),
    "rule": (
        "Rules: saved searches that mark, label and notify.",
        {
            "add": ("inforadar.cli.rules.rule:add", "Add a rule; it is tried on the last 7 days first."),
            "list": ("inforadar.cli.rules.rule:list_", "List your rules."),
            "test": (
                "inforadar.cli.rules.rule:try_",
                "Show what a rule or query matches of the last 7 days.",
            ),
            "edit": ("inforadar.cli.rules.rule:edit", "Change a rule."),
            "remove": ("inforadar.cli.rules.rule:remove", "Remove a rule."),
        },
    ),
    "channel": (
        "Channels: where rules and alerts send their messages.",
        {
            "add": (
                "inforadar.cli.rules.channel:add",
                "Add a channel: a webhook (http, https) or an apprise URL.",
            ),
            "list": ("inforadar.cli.rules.channel:list_", "List all channels."),
            "test": ("inforadar.cli.rules.channel:send_test", "Send a test message."),
            "remove": ("inforadar.cli.rules.channel:remove", "Remove a channel."),
            "messages": ("inforadar.cli.rules.channel:messages", "List messages, sent or not, newest first."),
            "resend": ("inforadar.cli.rules.channel:resend", "Retry a message that was given up."),
        },
    ),
    "alert": (
        "Alerts: feeds that need attention.",
        {
            "list": (
                "inforadar.cli.rules.alert:list_",
                "List feeds that are broken, silent, losing entries, moved or gone.",
            ),
            "quiet": ("inforadar.cli.rules.alert:quiet", "Mute a feed's alerts until a time."),
        },
    ),
    "sample": (
        "The sample news, to try Info Radar without the network.",
        {
            "add": ("inforadar.cli.system.sample:add", "Add the sample feeds with some history."),
            "remove": ("inforadar.cli.system.sample:remove", "Delete the sample feeds and their items."),
            "serve": ("inforadar.cli.system.sample:serve", "Serve the sample feeds on a local port."),
        },
    ),
    "flows": (
        "Run sitemaps with Prefect.",
        {
            "serve": (
                "inforadar.cli.system.flows:serve",
                "Run the flows of inforadar.toml on their schedules.",
            ),
        },
    ),
    "db": (
        "Maintain the database.",
        {
            "upgrade": (
                "inforadar.cli.system.database:upgrade",
                "Upgrade the database to this version's schema.",
            ),
            "check": ("inforadar.cli.system.database:check", "Check the database for damage."),
            "backup": ("inforadar.cli.system.database:backup", "Back up the database while it is in use."),
            "restore": (
                "inforadar.cli.system.database:restore",
                "Replace the database with a backup.",
            ),
            "vacuum": (
                "inforadar.cli.system.database:vacuum",
                "Delete old data by the retention settings and free its space.",
            ),
            "move": ("inforadar.cli.system.database:move", "Move everything to another database."),
        },
    ),
    "completion": (
        "Completion of commands, options and feeds in the shell.",
        {
            "install": ("inforadar.cli.system.completion:install", "Install completion for your shell."),
            "show": ("inforadar.cli.system.completion:show", "Print the completion script of a shell."),
        },
    ),
    "config": (
        "Inspect the settings.",
        {
            "show": (
                "inforadar.cli.system.settings:show",
                "Show every setting and where its value comes from.",
            ),
        },
    ),
}
