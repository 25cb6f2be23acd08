"""The manual of a header as HTML: its first comment in sections, and one page per family of the API."""

import html
import re

NAME = re.compile(r"\b(?:gsp_[a-z0-9_]+|GSP_[A-Z0-9_]+)\b")
LABEL = re.compile(r"^(What|In, out|In|Out|Errors|Time|Memory|Example|See|Order|Source): +")


def declared(code):
    """The names that a declaration of the API introduces."""
    names = re.findall(r"^GSP_API[^;]*?\b(gsp_[a-z0-9_]+)\(", code, re.M)
    names += re.findall(r"^} (gsp_[a-z0-9_]+);", code, re.M)
    names += re.findall(r"^typedef [^;{]*?\(\*(gsp_[a-z0-9_]+)\)", code, re.M)
    names += re.findall(r"^typedef [^;{(]*\b(gsp_[a-z0-9_]+);", code, re.M)
    names += re.findall(r"^ *#define (GSP_[A-Z0-9_]+)", code, re.M)
    names += re.findall(r"^ {4,8}(GSP_[A-Z0-9_]+)(?: = [^,]*)?,", code, re.M)
    names += re.findall(r"^typedef (?:struct|enum) (gsp_[a-z0-9_]+)", code, re.M)
    return list(dict.fromkeys(names))


def uncomment(text):
    """The words of a comment, without its frame."""
    lines = [re.sub(r"^ \* ?", "", line.rstrip()) for line in text[2:-2].split("\n")]
    return "\n".join([lines[0].strip()] + lines[1:]).strip("\n")


class Links:
    """Where each name of the API is explained."""

    def __init__(self):
        self.where = {}

    def link(self, text, own=()):
        def one(match):
            name = match.group()
            if name in own or name not in self.where:
                return name
            return '<a href="%s#%s">%s</a>' % (self.where[name], name, name)

        return NAME.sub(one, html.escape(text))

    def prose(self, text, own=()):
        """Paragraphs, labels as terms, indented lines as they are."""
        out = []
        for block in re.split(r"\n *\n", text):
            lines = block.split("\n")
            if lines[0].strip() == "~~~" or all(line.startswith("    ") for line in lines if line):
                out.append('<pre tabindex="0">%s</pre>' % self.link("\n".join(lines), own))
            elif LABEL.match(lines[0]):
                out.append("<dl>%s</dl>" % self.labels(lines, own))
            else:
                out.append("<p>%s</p>" % self.words(block, own))
        return "\n".join(out)

    def labels(self, lines, own):
        terms = []
        for line in lines:
            match = LABEL.match(line)
            if match:
                terms.append([match.group(1), line[match.end():]])
            else:
                terms[-1][1] += "\n" + line.strip()
        return "".join("<dt>%s</dt><dd>%s</dd>" % (term, self.words(text, own)) for term, text in terms)

    def words(self, text, own):
        return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", self.link(text, own))


def entries(section):
    """Pairs of a comment and the code that follows it, in the order of the header."""
    pairs = []
    comment = ""
    for part in re.split(r"(^/\*(?:.|\n)*?\*/)", section, flags=re.M):
        if part.startswith("/*"):
            if comment:
                pairs.append((comment, ""))
            comment = "" if part.startswith("/* ---") else uncomment(part)
        else:
            # Private macros and guards are of no use to a reader.
            code = re.sub(r"^#(?:if|endif|else|elif|undef|error|include)[^\n]*\n", "", part, flags=re.M)
            code = re.sub(r"\n{3,}", "\n\n", code).strip("\n")
            if code or comment:
                pairs.append((comment, code))
            comment = ""
    return pairs


def families(header):
    """(family, title, its comment, [(section, title, text)]) of the API half."""
    end = header.index("GRAPHSPLIT_IMPLEMENTATION\n", header.index("(API)"))
    api = header[: header.rindex("(API)", 0, end)] + header[header.rindex("(API)", 0, end): end]
    found = []
    for part in re.split(r"^/\* (?:====|----)\n \* >>", api, flags=re.M)[1:]:
        title, text = part.split("\n", 1)
        text = text[text.index("*/") + 2:]
        kind = re.match(r"(family )?(\S+) +(.*?) \(API\)$", title)
        if not kind:
            continue
        if kind.group(1):
            found.append((kind.group(2), kind.group(3), text, []))
        else:
            found[-1][3].append((kind.group(2), kind.group(3), text))
    return found


def guide(header):
    """(number, title, text) of each section of the manual at the head of the header."""
    manual = header[: header.index("*/")]
    parts = re.split(r"^ \* (\d+) ([A-Z][A-Z ,]+[A-Z])(.*)$", manual, flags=re.M)
    return [(parts[i], (parts[i + 1] + parts[i + 2]).strip(), uncomment("/*" + parts[i + 3] + "*/"))
            for i in range(1, len(parts), 4)]


def file_of(family):
    return "api-%s.html" % family.lower()


def index(header, addons):
    """Links of all names; the first place of a name counts."""
    links = Links()
    for family, _, head, sections in families(header):
        for text in [head] + [text for _, _, text in sections]:
            for _, code in entries(text):
                for name in declared(code):
                    links.where.setdefault(name, file_of(family))
    for name, text in addons:
        for _, code in entries(addon_api(text)):
            for symbol in declared(code):
                links.where.setdefault(symbol, "addons.html")
    return links


def addon_api(text):
    """The public half of an add-on, behind its first comment."""
    return text[text.index("*/") + 2: text.index("_IMPLEMENTATION\n", text.index("*/"))].rsplit("\n", 1)[0]


def show(text, links):
    """Entries as HTML: each name once with an anchor of its own."""
    out = []
    for comment, code in entries(text):
        own = declared(code)
        anchors = "".join('<a id="%s"></a>' % name for name in own)
        title = '<h3>%s<a class="mark" href="#%s" aria-label="link to %s">#</a></h3>' % (own[0], own[0], own[0]) if own else ""
        out.append('<section class="entry">%s%s%s%s</section>' % (
            anchors, title, links.prose(comment, own) if comment else "",
            '<pre class="code" tabindex="0">%s</pre>' % links.link(code, own) if code else ""))
    return "\n".join(out)
