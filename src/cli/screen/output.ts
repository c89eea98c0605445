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
  /** Opened when a command reads it; absent without standard input. */
  readonly stdin?: () => AsyncIterable<unknown> & { readonly isTTY?: boolean }
  /** The process where the command was typed; absent if it is this one. */
  readonly host?: Host
}

/** True if a person reads the output. */
export function isAttended({ stderr }: Terminal): boolean {
  return stderr.isTTY === true
}

/**
 * A command's output: answers go to stdout and the rest to stderr. With `--json`, one JSON object
 * per line goes to stdout and all text to stderr.
 */
export interface Output {
  readonly json: boolean
  /** The screen for answers. */
  readonly screen: Screen
  /** Prints an answer, for people. */
  say(text: string): void
  /** Prints progress, for people. */
  note(text: string): void
  /** Prints an event for programs; does nothing without `--json`. */
  emit(event: object): void
  /** Redacts all later output; call it as soon as all secrets are known. */
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
 * Escapes characters in JSON that control a terminal or change the direction of writing. The value
 * stays the same.
 */
function jsonLine(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Prints an error and its advice, and returns the exit code. */
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
