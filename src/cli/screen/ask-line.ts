import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import type { Terminal } from './output.ts'

/** The keyboard of a person at this terminal; null if nobody is there. */
export function keyboardOf({ stdin, stderr }: Terminal): ReadStream | null {
  const stream = stdin?.()
  return stderr.isTTY && stream instanceof ReadStream && stream.isTTY ? stream : null
}

interface Asking {
  readonly keyboard: ReadStream
  readonly prompt: string
  /**
   * Writes the text above the prompt. Called once keys are read one by one: otherwise a Ctrl-D
   * could be lost, and a secret would be echoed.
   */
  readonly show?: () => void
}

/**
 * Reads one line. Null when the person ends the input (Ctrl-D) or interrupts, or when the signal
 * withdraws the question.
 */
export function askLine(
  { stderr }: Pick<Terminal, 'stderr'>,
  { keyboard, prompt, show }: Asking,
  signal?: AbortSignal,
): Promise<string | null> {
  if (signal?.aborted) return Promise.resolve(null)
  const lines = createInterface({ input: keyboard, output: stderr, terminal: true, historySize: 0 })
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const takeBack = () => lines.close()
  signal?.addEventListener('abort', takeBack, { once: true })
  lines.once('line', (line) => {
    resolve(line)
    lines.close()
  })
  lines.once('close', () => {
    signal?.removeEventListener('abort', takeBack)
    resolve(null)
  })
  lines.once('SIGINT', () => {
    lines.close()
    stderr.write('\n')
    // A listener for SIGINT pauses the followed Run; without one there is nothing to stop.
    if (!process.emit('SIGINT', 'SIGINT')) process.exit(130)
  })
  show?.()
  lines.setPrompt(prompt)
  lines.prompt()
  return promise
}

/** Reads one line without showing it, for secrets. */
export async function askSecret(
  { stderr }: Pick<Terminal, 'stderr'>,
  { keyboard, prompt }: Pick<Asking, 'keyboard' | 'prompt'>,
): Promise<string | null> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() }) as NodeJS.WriteStream
  const line = await askLine({ stderr: nowhere }, { keyboard, prompt: '', show: () => void stderr.write(prompt) })
  stderr.write('\n')
  return line
}

/** Asks a question; Enter means yes or no, as given. */
export async function confirm(
  terminal: Pick<Terminal, 'stderr'>,
  { keyboard, question, usual }: { readonly keyboard: ReadStream; readonly question: string; readonly usual: boolean },
): Promise<boolean> {
  const line = await askLine(terminal, { keyboard, prompt: `${question} ${usual ? '[Y/n]' : '[y/N]'} ` })
  if (line === null) return false
  const word = line.trim().toLowerCase()
  return word === '' ? usual : word === 'y' || word === 'yes'
}
