const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean)

/** Tools that check, format or measure, as comments to them begin. */
const tools = wordsOf(`
  eslint oxlint tslint jshint jslint jscs xo biome rome deno-lint deno-fmt deno-coverage prettier dprint stylelint csslint htmlhint
  markdownlint markdown-lint remark textlint vale alex cspell spell-checker spellchecker codespell typos knip depcheck ts-prune
  type-coverage c8 istanbul v8 nyc node:coverage stryker flow sonar sonarjs sonarlint
  pylint flake8 ruff mypy pyright basedpyright pytype pyre ty pyrefly isort usort black fmt yapf autopep8 bandit pydocstyle pycodestyle
  pyflakes pylama vulture interrogate docformatter darglint refurb coverage mutmut cosmic-ray doctest
  rubocop standard reek brakeman simplecov haml-lint erb-lint erb_lint slim-lint sorbet steep fasterer
  golangci golangci-lint golint gosec staticcheck revive errcheck exhaustive exhaustruct lint
  clippy rustfmt tarpaulin phpcs phpstan psalm phpmd phan rector pint infection php-cs-fixer twigcs
  checkstyle pmd cpd spotbugs findbugs spotless errorprone nullaway formatter ktlint detekt diktat kover jacoco swiftlint swiftformat
  scalafmt scalafix scalastyle wartremover scoverage resharper stylecop fxcop
  clang-tidy clang-format clang-analyzer cppcheck cpplint coverity iwyu lcov gcov gcovr grcov uncrustify codechecker
  shellcheck shfmt hadolint dockerfilelint yamllint ansible-lint actionlint zizmor tflint tfsec checkov trivy kics kics-scan terrascan
  kube-linter sqlfluff squawk dotenv-linter editorconfig-checker buf protolint api-linter taplo checkmake cmake-lint cmake-format gersemi
  gitleaks trufflehog detect-secrets secretlint snyk semgrep codeql lgtm deepsource codacy codeclimate lizard luacheck selene stylua
  perlcritic perltidy hlint fourmolu ormolu weeder credo dialyzer sobelow styler elvis djlint curlylint ember-template-lint template-lint
  vint chktex pragma type ts`)

/** Words that silence a check without naming a tool. */
const alone = wordsOf(`
  noqa nosec nolint nolintnextline nolintbegin nosonar nosemgrep nopmd noinspection nocov nocover nocoverage noformat nowarn
  codecoverageignore codecoverageignorestart suppresswarnings phpcsignorefile flowfixme flowignore flowexpectederror noflow nocheck`)

const escaped = (name: string) => name.replace(/[.:-]/g, '\\$&')
const longestFirst = (names: readonly string[]) =>
  names
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join('|')

/** Most characters of a comment that are read. */
const longest = 300

const decoration = /^[*!/#;%\s@$:|-]{0,20}/
const byItself = new RegExp(
  `^(?:${longestFirst(alone)})(?![a-z0-9])|^no critic\\b|^(?:lgtm|codeql|coverity)[ \\t]*\\[`,
  'i',
)
const ofTool = new RegExp(`^(${longestFirst(tools)})(?![a-z0-9])`, 'i')

/** Words of such a comment that follow the tool's name, with a mark in between or without. */
const verb = 'disable|ignore|skip|suppress|exclude|excl|no[- _]?(?:check|cover|branch|lint|qa|mutate|format)'
/** The first letters of all these words: a quick check, since most comments begin differently. */
const beginnings = new Set([...tools, ...alone].map((name) => name.slice(0, 2)))

/** No letter follows the word, and it does not end the silence. */
const notBack = '(?![a-z]|[-_]?(?:end|stop|restore)\\b)'
const said = new RegExp(`^(?:(?:${verb})${notBack}|(?:off|none)(?![\\w-]))`)
const saidAfterMark = new RegExp(
  `^(?:(?:next-?line-?|file-?|all-?)?(?:${verb}|allow|expect|fixme|todo|silence|waive)${notBack}|(?:off|none|basic)(?![\\w-]))`,
)

/** A rule that is turned off or down: `no-console: "off"`, `reportAny=false`. */
const turnedOff =
  /^[ \t:]*(?:[-+@\w/."']+[ \t]*[:=][^:=]*?,[ \t]*){0,50}["'@]?[\w/.-]+["']?[ \t]*[:=][ \t]*\[?[ \t]*["']?(?:off|warn|false|none|ignore|information|0|1)(?![\w.])/i
const oldOption = /^[ \t]*(?:-W\d|\w+[ \t]*:[ \t]*(?:true|ignore)\b)/

/**
 * The tool that a comment addresses, or its word, if the comment silences a check; null otherwise.
 * Prose about a tool does not count, nor does a comment that makes the tool stricter.
 */
export function silencingWords(comment: string): string | null {
  const words = comment.slice(0, longest).replace(decoration, '')
  if (!beginnings.has(words.slice(0, 2).toLowerCase())) return null
  const own = byItself.exec(words)?.[0]
  if (own !== undefined) return own
  const tool = ofTool.exec(words)?.[1]
  if (tool === undefined) return null
  const rest = words.slice(tool.length)
  const [, mark = '', after = ''] = /^[ \t]*([-:._@/]?)[ \t]*([^\n]{0,400})/.exec(rest) ?? []
  const next = lowered(after)
  if (mark === '' && isGeneric.test(tool)) return null
  if (mark === '' ? said.test(next) : saidAfterMark.test(next)) return isProse(tool, next) ? null : tool
  if (!isGeneric.test(tool) && turnedOff.test(rest)) return tool
  return /^js[hl]int$/i.test(tool) && oldOption.test(rest) ? tool : null
}

/** Tool names that are also ordinary words; they need a mark behind them. */
const isGeneric = /^(?:ts|type|lint|fmt|formatter|flow|standard|black|coverage|buf|alex|ty|styler|remark|revive)$/i

/** True if the word belongs to a sentence, as in `type: the kind` or `lint: skip what…`. */
function isProse(tool: string, next: string): boolean {
  return /^(?:type|ts)$/i.test(tool) && !/^(?:ignore|expect-error|nocheck)(?![a-z])/.test(next)
}

/** Separates words at capitals, as in `ignoreLine`; a run of capitals is one word. */
function lowered(text: string): string {
  const [word = ''] = /^[A-Za-z_-]*/.exec(text) ?? []
  return (
    (/[a-z]/.test(word) ? word.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`) : word).toLowerCase() +
    text.slice(word.length)
  )
}
