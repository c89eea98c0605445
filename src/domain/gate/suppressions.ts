import { type CodeSyntax, type Language, syntaxOf } from './code-syntax.ts'
import { maskStrings } from './mask-code.ts'

/**
 * What a comment begins with that silences a check: a linter, a compiler, a type checker, coverage.
 */
const directives = [
  ...['eslint-disable', 'oxlint-disable', 'tslint:disable', 'biome-ignore', 'deno-lint-ignore'],
  ...[
    '@ts-(?:ignore|expect-error|nocheck)',
    '(?:c8|istanbul|v8)[ \\t]+ignore',
    'node:coverage[ \\t]+(?:ignore|disable)',
  ],
  ...['(?:(?:flake8|ruff):[ \\t]*)?noqa\\b', 'type:[ \\t]*ignore\\b', 'pyright:[ \\t]*ignore\\b', 'mypy:[ \\t]*ignore'],
  ...['pylint:[ \\t]*disable', 'pragma:[ \\t]*no[ \\t]*(?:cover|branch)', 'nosec\\b', 'nolint', 'lint:ignore'],
  ...['rubocop:[ \\t]*(?:disable|todo)', ':nocov:', 'shellcheck[ \\t]+disable', 'swiftlint:disable', 'ktlint-disable'],
  ...['phpcs:(?:ignore|disable)', '@phpstan-ignore', '@psalm-suppress', '@codeCoverageIgnore', 'noinspection\\b'],
].join('|')

/** The same said in code. */
const inCode: Partial<Readonly<Record<Language, string>>> = {
  rust: '#!?\\[[^\\]\\n]{0,200}?\\b(?:allow|expect)\\s{0,20}\\(|#!?\\[\\s{0,20}coverage\\(off\\)',
  'c-like':
    '@Suppress(?:Warnings|Lint)?\\b|\\bSuppressMessage\\b|#pragma[ \\t]+(?:warning[ \\t]+disable|GCC[ \\t]+diagnostic[ \\t]+ignored)',
}

const patterns = new Map<Language, RegExp>()

function patternOf({ language, lineComments, blockComments }: CodeSyntax): RegExp {
  const marks = [...lineComments, ...(blockComments === 'none' ? [] : ['/\\*'])].join('|')
  const code = inCode[language]
  const known = `(?:${marks})[*!/#]{0,10}\\s{0,200}(?:${directives})${code === undefined ? '' : `|${code}`}`
  const pattern = patterns.get(language) ?? new RegExp(known, 'gi')
  patterns.set(language, pattern)
  return pattern
}

/** The number of places where a file silences a check. Those in strings do not count. */
export function countSuppressions(text: string, path: string): number {
  const syntax = syntaxOf(path, text)
  return (
    maskStrings(isGenerated(text, path) ? text.replace(header, '') : text, syntax).match(patternOf(syntax))?.length ?? 0
  )
}

/** The comments that a file begins with. */
const header = /^(?:\s*(?:\/\/|#|--)[^\n]*\n|\s*\/\*[\s\S]*?\*\/)+/
const generated =
  /(?:^|\/)(?:__generated__|generated|autogen|gen)\/|\.(?:gen|generated|pb|g)\.\w+$|_(?:pb2(?:_grpc)?|pb|generated)\.\w+$/

/** Whether a file is generated, by its path and its header: no linter is meant to check it. */
function isGenerated(text: string, path: string): boolean {
  return (
    generated.test(path) &&
    /@generated\b|\bdo not edit\b|\bgenerated (?:by|from|with)\b/i.test(header.exec(text)?.[0] ?? '')
  )
}

const anyWord = new RegExp([directives, ...Object.values(inCode)].join('|'), 'i')

/** Whether a text may silence a check in any language: quick, and more often than it does. */
export function maySuppress(text: string): boolean {
  return anyWord.test(text)
}
