import { type ParseError, parse as parseJsonc } from 'jsonc-parser'
import type { z } from 'zod'
import { DrydockError, type ErrorCode } from '../domain/drydock-error.ts'

interface ConfigText {
  readonly text: string
  /** The file's name in errors. */
  readonly file: string
  /** Returns a hint for an unknown key. */
  readonly hint?: (key: string) => string | null
  /** The error's code and remedy, for a file that is not a configuration. */
  readonly problem?: { readonly code: ErrorCode; readonly todo: string }
}

const mostIssues = 20
const mostKeyChars = 200

/**
 * Parses a configuration file with a schema. Throws DrydockError `bad_config` names the file and
 * each wrong key.
 */
export function parseConfig<Schema extends z.ZodType>(schema: Schema, input: ConfigText): z.output<Schema> {
  // A schema is used only once, so compiling it would take longer.
  const result = schema.safeParse(parseJson(input), { error: missing, jitless: true })
  if (result.success) return result.data
  const lines = result.error.issues.flatMap((issue) => describe(issue, input.hint ?? (() => null)))
  const shown = lines.slice(0, mostIssues)
  if (lines.length > shown.length) shown.push(`and ${lines.length - shown.length} more`)
  const { code, todo } = input.problem ?? badConfig
  throw new DrydockError(code, shown.map((line) => `${input.file}: ${line}`).join('\n'), { todo })
}

const badConfig = {
  code: 'bad_config',
  todo: 'Correct these keys. config.schema.json and user-config.schema.json in the drydock package list all keys.',
} as const

/** Zod's message would say `undefined`, a word that does not occur in the file. */
function missing({ input }: { readonly input?: unknown }): string | undefined {
  return input === undefined ? 'is missing' : undefined
}

function parseJson({ text, file, problem }: ConfigText): unknown {
  const json = text.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(json)
  } catch (cause) {
    const at = placeOfError(json)
    throw new DrydockError(
      problem?.code ?? 'bad_config',
      `${file}: line ${at.line}, column ${at.column}: this is not JSON`,
      {
        todo: 'Correct the file there. JSON has no comments and no comma after the last entry.',
        cause,
      },
    )
  }
}

/** JSON.parse reports the position of some mistakes only. */
function placeOfError(json: string): { readonly line: number; readonly column: number } {
  const errors: ParseError[] = []
  parseJsonc(json, errors, { disallowComments: true })
  const before = json.slice(0, errors[0]?.offset ?? 0).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function describe(issue: z.core.$ZodIssue, hint: (key: string) => string | null): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${keyPath([...issue.path, key])}: ${hint(key) ?? 'unknown key'}`)
  }
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [`${keyPath(issue.path) || 'the whole file'}: ${message}`]
}

/**
 * `verification.steps[0].name`; a key that is not a plain word is quoted, so that it cannot control
 * a terminal.
 */
export function keyPath(path: readonly PropertyKey[]): string {
  return path.map(pathPart).join('').replace(/^\./, '')
}

function pathPart(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`
  const name = String(key)
  if (/^[$\w-]+$/.test(name) && name.length <= mostKeyChars) return `.${name}`
  return `[${JSON.stringify(name.slice(0, mostKeyChars)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)}]`
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}
