import { secretVariables } from '../../config/known-secrets.ts'
import { withDiskFull } from '../../domain/disk-full.ts'
import { DrydockError, errorCatalogue } from '../../domain/drydock-error.ts'
import { createRedactor, type Redact } from '../../domain/secrets/redact.ts'
import type { Host } from '../door/host.ts'
import { createScreen, type Screen } from './screen.ts'

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Opened when a command reads it; left out where there is none. */
  readonly stdin?: () => AsyncIterable<unknown> & { readonly isTTY?: boolean }
  /** The process that the command was given in; left out where it is this one. */
  readonly host?: Host
}

/** Whether a person is there, who reads what is said. */
export function isAttended({ stderr }: Terminal): boolean {
  return stderr.isTTY === true
}

/**
 * Where a command's words go: answers to stdout and the rest to stderr; with `--json` one JSON
 * object a line on stdout and all words to stderr.
 */
export interface Output {
  readonly json: boolean
  /** Where answers are read. */
  readonly screen: Screen
  /** The answer, for people. */
  say(text: string): void
  /** What goes on, for people. */
  note(text: string): void
  /** One event, for programs; nothing without `--json`. */
  emit(event: object): void
  /** From now on all secrets are known, and none is said. */
  hide(redact: Redact): void
}

export function createOutput({ stdout, stderr, env }: Terminal, { json }: { readonly json: boolean }): Output {
  const answers = json ? stderr : stdout
  const { clean } = createScreen(stderr, env)
  const screen = createScreen(answers, env)
  let redact = createRedactor(secretVariables(env))
  return {
    json,
    screen,
    say: (text) => void answers.write(`${redact(screen.inert(text))}\n`),
    note: (text) => void stderr.write(`${redact(clean(text))}\n`),
    emit(event) {
      if (json) stdout.write(`${jsonLine(redact(JSON.stringify(event)))}\n`)
    },
    hide(known) {
      redact = known
    },
  }
}

/**
 * JSON may hold what steers a terminal or turns the direction of writing; escaped it is the same
 * JSON.
 */
function jsonLine(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Says what happened and what to do, and returns the exit code. */
export function reportError(output: Output, thrown: unknown): number {
  const error = withDiskFull(thrown)
  if (error instanceof DrydockError) {
    const { code, message, todo } = error
    output.emit({ type: 'error', code, message, todo })
    output.note(`drydock: ${message}\n${todo}`)
    return errorCatalogue[code].exit
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  output.emit({ type: 'error', code: 'bug', message })
  output.note(`drydock: this is a bug. Please report it:\n${message}`)
  return 1
}
