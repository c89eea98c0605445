import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Socket } from 'node:net'
import { startProgram } from '../../../processes/start-program.ts'
import { failed } from '../git.ts'
import { type GitObject, headerOf, type ReadObject } from './read-objects.ts'

interface Options {
  /** The whole environment of git. */
  readonly environment: Readonly<Record<string, string>>
  readonly gitDir: string
  /** A git that nobody has asked anything for so long ends; 5 s without it. */
  readonly idleMs?: number
}

/**
 * Reads objects by one git that stays while it is asked, where a git for each object would cost
 * more than all that it reads. It finds what other programs write meanwhile, and ends with this
 * process.
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
    // It does not end early: a size that is too large is asked for alone.
    const about = await unlessAborted(ask({ name, isWhole: false }), signal)
    if (about === null || about.size > maxBytes) return about
    return unlessAborted(ask({ name: about.id, isWhole: true }), signal)
  }
}

/** The answer comes all the same, and nobody takes it. */
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
    ...{ cwd: '/', env: { ...environment, GIT_DIR: gitDir }, stdio: ['pipe', 'pipe', 'pipe'] },
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
  // Its end says why.
  child.stdin.on('error', () => undefined)
  child.on('error', gone)
  child.on('close', () => gone(null))
  return reader
}

/** Whether this process waits for it. */
function hold(child: ChildProcessWithoutNullStreams, isHeld: boolean): void {
  for (const part of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket])
    isHeld ? part.ref() : part.unref()
}

/** Answers come in the order of the questions. */
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

/** The first answer in the bytes, or how many bytes it takes to go on. */
function answerIn(bytes: Buffer, { name, isWhole }: Waiting): Answer {
  // Git repeats the name of an object that it does not have, with the line ends in it.
  for (const word of ['missing', 'ambiguous', 'submodule']) {
    const missing = Buffer.from(`${name} ${word}\n`)
    if (bytes.subarray(0, missing.length).equals(missing)) return { object: null, length: missing.length }
  }
  const end = bytes.indexOf('\n')
  const about = end < 0 ? null : headerOf(bytes.toString('latin1', 0, end))
  // A name of several lines has not come whole.
  if (about === null) return { needs: bytes.length + 1 }
  if (!isWhole) return { object: { ...about, content: null }, length: end + 1 }
  const length = end + 1 + about.size + 1
  if (bytes.length < length) return { needs: length }
  return { object: { ...about, content: Buffer.from(bytes.subarray(end + 1, length - 1)) }, length }
}
