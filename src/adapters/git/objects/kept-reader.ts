import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Socket } from 'node:net'
import { startProgram } from '../../../processes/start-program.ts'
import { failed } from '../git.ts'
import { type GitObject, headerOf, type ReadObject } from './read-objects.ts'

interface Options {
  /** The whole environment of git. */
  readonly environment: Readonly<Record<string, string>>
  readonly gitDir: string
  /** Milliseconds without a request after which git ends; 5 s by default. */
  readonly idleMs?: number
}

/**
 * Reads objects with one long-lived git process, since starting one per object costs more than the
 * read. The process also finds objects that other programs write in the meantime, and ends with
 * this process.
 */
export function keptReader(options: Options): ReadObject {
  let reader: Reader | null = null
  const ask = (question: Question): Promise<GitObject | null> => {
    reader ??= openReader(options, (gone) => {
      if (reader === gone) reader = null
    })
    return reader.ask(question)
  }
  return async (name, { maxBytes, signal }) => {
    signal?.throwIfAborted()
    if (maxBytes === Number.MAX_SAFE_INTEGER) return unlessAborted(ask({ name, isWhole: true }), signal)
    // The size is asked for first, since git cannot send a part of a content.
    const about = await unlessAborted(ask({ name, isWhole: false }), signal)
    if (about === null || about.size > maxBytes) return about
    return unlessAborted(ask({ name: about.id, isWhole: true }), signal)
  }
}

/** Stops waiting when the signal aborts; the answer that still arrives is dropped. */
function unlessAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
  if (signal === undefined) return answer
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

interface Question {
  readonly name: string
  readonly isWhole: boolean
}

interface Waiting extends Question {
  readonly resolve: (object: GitObject | null) => void
  readonly reject: (error: unknown) => void
}

interface Reader {
  ask(question: Question): Promise<GitObject | null>
}

const args = ['cat-file', '--batch-command', '-z']

function openReader({ environment, gitDir, idleMs = 5_000 }: Options, onGone: (reader: Reader) => void): Reader {
  const child = startProgram('git', args, {
    cwd: '/',
    env: { ...environment, GIT_DIR: gitDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const waiting: Waiting[] = []
  const answers = readAnswers(waiting)
  let idle: NodeJS.Timeout | undefined
  let said = ''
  const gone = (error: Error | null) => {
    clearTimeout(idle)
    onGone(reader)
    const reason = failed(args, said.trim() || (error?.message ?? 'it ended'))
    for (const { reject } of waiting.splice(0)) reject(reason)
  }
  const rest = () => {
    hold(child, false)
    idle = setTimeout(() => {
      onGone(reader)
      child.stdin.end()
    }, idleMs).unref()
  }
  const reader: Reader = {
    ask: (question) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        hold(child, true)
        waiting.push({ ...question, resolve, reject })
        child.stdin.write(`${question.isWhole ? 'contents' : 'info'} ${question.name}\0`)
      }),
  }
  child.stdout.on('data', (bytes: Buffer) => {
    answers.take(bytes)
    if (waiting.length === 0) rest()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    said = (said + bytes.toString('utf8')).slice(-2_000)
  })
  // The `close` event reports the reason.
  child.stdin.on('error', () => undefined)
  child.on('error', gone)
  child.on('close', () => gone(null))
  return reader
}

/** Sets if the child keeps this process alive. */
function hold(child: ChildProcessWithoutNullStreams, isHeld: boolean): void {
  for (const part of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket])
    isHeld ? part.ref() : part.unref()
}

/** Matches answers to requests, which git answers in order. */
function readAnswers(waiting: Waiting[]) {
  let kept: Buffer[] = []
  let size = 0
  let wanted = 1
  return {
    take(bytes: Buffer): void {
      kept.push(bytes)
      size += bytes.length
      while (waiting[0] !== undefined && size >= wanted) {
        const all = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept)
        const answer = answerIn(all, waiting[0])
        kept = [all]
        if ('needs' in answer) {
          wanted = answer.needs
          continue
        }
        waiting.shift()?.resolve(answer.object)
        kept = [all.subarray(answer.length)]
        size -= answer.length
        wanted = 1
      }
    },
  }
}

type Answer = { readonly needs: number } | { readonly object: GitObject | null; readonly length: number }

/** The first answer in the bytes, or the least number of bytes that it needs. */
function answerIn(bytes: Buffer, { name, isWhole }: Waiting): Answer {
  // Git repeats the name of a missing object, and a line of a multi-line name may look like a
  // header.
  const missing = name.includes('\n') ? lengthOfMissing(bytes, name) : null
  const end = bytes.indexOf('\n')
  const about = missing !== null || end < 0 ? null : headerOf(bytes.toString('latin1', 0, end))
  if (about === null) {
    const length = missing ?? lengthOfMissing(bytes, name)
    // The answer about a multi-line name is still incomplete.
    return length === null ? { needs: bytes.length + 1 } : { object: null, length }
  }
  if (!isWhole) return { object: { ...about, content: null }, length: end + 1 }
  const length = end + 1 + about.size + 1
  if (bytes.length < length) return { needs: length }
  return { object: { ...about, content: Buffer.from(bytes.subarray(end + 1, length - 1)) }, length }
}

function lengthOfMissing(bytes: Buffer, name: string): number | null {
  for (const word of ['missing', 'ambiguous', 'submodule']) {
    const missing = Buffer.from(`${name} ${word}\n`)
    if (bytes.subarray(0, missing.length).equals(missing)) return missing.length
  }
  return null
}
