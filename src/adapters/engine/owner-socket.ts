import { chmod, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { z } from 'zod'
import { exposedSockets } from '../../domain/exposed-sockets.ts'
import { parsedJson } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { lineSplitter } from '../../domain/line-splitter.ts'
import { type RunScope, union } from '../../domain/scope.ts'
import { writeWhole } from '../../files/write-whole.ts'
import type { Connecting, Listening, OwnerConnection, OwnerFacts, OwnerSocket } from '../../ports/owner.ts'
import { makeSocketFolder, socketPath } from '../../processes/socket-folder.ts'
import { createOnlookers } from './onlookers.ts'

/** The path of the socket on which the owner of a state listens. */
export function ownerSocketPath(state: string): string {
  return socketPath(state, 'owner')
}

const askedSchema: z.ZodType<RunScope> = z.union([z.literal('all'), z.array(z.string())])
const askSchema = z.object({ ask: askedSchema })
const lookSchema = z.object({ look: z.boolean() })
const factsSchema: z.ZodType<OwnerFacts> = z.object({
  pid: z.int(),
  asked: askedSchema,
  only: z.boolean(),
  url: z.string().max(300).exactOptional(),
})

/** The longest line in characters, far more than any list of Runs needs. */
const longestLine = 1_048_576

/**
 * Listens as the owner. Only one process is the owner, so a socket that exists at the path is
 * stale. The protocol consists of lines.
 */
export async function listenAsOwner(path: string, { facts, wake, ask, live }: Listening): Promise<OwnerSocket> {
  /** The Runs that each follower has asked for. */
  const followers = new Map<Socket, RunScope>()
  const say = (line: string) => {
    // A follower that does not read gets no more writes, so that memory stays bounded.
    for (const socket of followers.keys()) if (socket.writableLength === 0) socket.write(`${line}\n`)
  }
  const onlookers = createOnlookers(live, (socket: Socket, work) => socket.write(`${seen}${work}\n`))
  const server = createServer((socket) => {
    followers.set(socket, [])
    onLine(socket, (line) => {
      const looking = parsed(lookSchema, line)
      if (looking !== null) return onlookers.look(socket, looking.look)
      const asked = parsed(askSchema, line)
      if (asked !== null) {
        followers.set(socket, union(followers.get(socket) ?? [], asked.ask))
        ask(asked.ask)
      }
      wake()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      followers.delete(socket)
      onlookers.look(socket, false)
    })
  })
  let kept = ''
  let keeping = Promise.resolve()
  const keepFacts = (now = facts) => {
    keeping = keeping.then(async () => {
      const text = JSON.stringify(now())
      if (text === kept) return
      await writeWhole(factsFile(path), text, { mode: 0o600 })
      kept = text
    })
    return keeping
  }
  if (!(await makeSocketFolder(dirname(path)))) throw exposedSockets(dirname(path))
  for (const left of [path, factsFile(path)]) await rm(left, { force: true, recursive: true })
  await keepFacts()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  await chmod(path, 0o600)
  const heart = setInterval(() => say(alive), limits.owner.heartbeatMs)
  return {
    announce: () => say(changed),
    keepFacts: () => keepFacts(),
    async close() {
      clearInterval(heart)
      onlookers.close()
      const left = [...followers.values()].reduce(union, [])
      // The follower that becomes the next owner must work for all followers from its first step,
      // because the resources of another follower's Run are in use. The requests are therefore kept
      // in the file.
      const followed = left === 'all' || left.length > 0
      if (followed) await keepFacts(() => ({ pid: process.pid, asked: left, only: false })).catch(() => {})
      for (const socket of followers.keys()) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await keeping.catch(() => {})
      if (!followed) await rm(factsFile(path), { force: true })
    },
  }
}

const changed = '.'
const alive = '-'
/** The first character of a line that reports the activity of lanes. */
const seen = '='

/**
 * The file names the owner even while its process is stopped and does not answer, and after it was
 * killed.
 */
function factsFile(path: string): string {
  return `${path}.json`
}

/**
 * The facts of the owner, or of the last one if it was killed. An owner that ended normally leaves
 * the requests that its followers still had; null if there were none.
 */
export async function readOwnerFacts(path: string): Promise<OwnerFacts | null> {
  const text = await readFile(factsFile(path), 'utf8').catch(() => null)
  return text === null ? null : parsed(factsSchema, text)
}

/** Null for anything else: the writer may have been killed, or may be another program. */
function parsed<T>(schema: z.ZodType<T>, text: string): T | null {
  return schema.safeParse(parsedJson(text)).data ?? null
}

function onLine(socket: Socket, take: (line: string) => void): void {
  const onOverflow = () => socket.destroy()
  socket.setEncoding('utf8').on('data', lineSplitter({ maxChars: longestLine, onLine: take, onOverflow }))
}

/** Connects to the owner; null if no process listens. */
export async function connectToOwner(path: string, on: Connecting): Promise<OwnerConnection | null> {
  const socket = connect(path)
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  if (!connected) return null
  socket.on('error', () => socket.destroy())
  onLine(socket, (line) => {
    on.alive?.()
    if (line === changed) on.change()
    else if (line.startsWith(seen)) on.seen?.(parsed(z.unknown(), line.slice(seen.length)))
  })
  socket.on('close', on.gone)
  return {
    facts: await readOwnerFacts(path),
    wake: () => socket.write('.\n'),
    ask: (asked) => socket.write(`${JSON.stringify({ ask: asked })}\n`),
    look: (look) => socket.write(`${JSON.stringify({ look })}\n`),
    close: () => socket.destroy(),
  }
}
