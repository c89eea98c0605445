import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Handler } from 'hono'
import { type AnsweringGit, answerGit } from '../../../app/commands/hub/answer-git.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Access, Asker } from '../access.ts'
import { bearerOf } from '../bearer.ts'
import { statusOf } from '../refusal.ts'
import type { RequestTime } from './request-time.ts'

/** The URL path of the control repository: `git fetch https://hub.example/git`. */
export const gitPath = '/git'

/** The header in which a worker names its host. */
const hostHeader = 'drydock-host'

const programs = { 'git-upload-pack': 'fetch', 'git-receive-pack': 'push' } as const

type Program = keyof typeof programs

export interface GitDoor extends AnsweringGit {
  readonly access: Access
  readonly time: RequestTime
  /** Receives bugs, and failures of git. */
  readonly onError: (error: unknown) => void
}

/**
 * Serves git's smart HTTP protocol, version 2 only. No part of a URL ever becomes a path. A token
 * comes as a Bearer, or as the password of Basic, as git itself sends it. Requests of browsers are
 * refused, whatever they contain.
 */
export function gitDoor(door: GitDoor): Handler {
  const open = new Map<string, number>()
  return async (c) => {
    const { incoming, outgoing } = c.env as HttpBindings & { incoming: IncomingMessage; outgoing: ServerResponse }
    const { access, time, onError } = door
    const program = programOf(c)
    if (program === null) return plain(c, 404, 'There is nothing here but the repository of the hub, for git.')
    if (c.req.header('origin') !== undefined || c.req.header('sec-fetch-site') !== undefined)
      return plain(c, 403, 'No page may ask this.')
    const refused = (error: DrydockError, by: Asker | null) => {
      if (by !== null) access.refused(c, { code: error.code, name: by.name, route: programs[program], needs: null })
      return plain(c, statusOf(error), `${error.message} ${error.todo}`)
    }
    const isAsking = c.req.method === 'GET'
    let asker: Asker | null = null
    try {
      asker = await access.programOf(c, secretOf(c))
    } catch (error) {
      if (error instanceof DrydockError) return refused(error, null)
      throw error
    }
    if (asker?.name == null) {
      c.header('WWW-Authenticate', 'Basic realm="Drydock hub", charset="UTF-8"')
      return plain(c, 401, `The hub needs a token as the password. ${access.todo}`)
    }
    const { name, role } = asker
    if ((open.get(name) ?? 0) >= limits.hub.git.childrenEach)
      return plain(c, 429, 'So many requests of git with one token are answered already. Try again.')
    open.set(name, (open.get(name) ?? 0) + 1)
    const leaving = new AbortController()
    const leave = () => leaving.abort(new Error('the client of git has left'))
    outgoing.once('close', leave)
    time.lift(incoming)
    const still = stopWhenIdle(incoming, asker, leaving)
    const said = isAsking ? null : bodyOf(incoming, program)
    try {
      outgoing.statusCode = 200
      outgoing.setHeader('Content-Type', `application/x-${program}-${isAsking ? 'advertisement' : 'result'}`)
      outgoing.setHeader('Cache-Control', 'no-cache, no-store, max-age=0, must-revalidate')
      outgoing.setHeader('X-Content-Type-Options', 'nosniff')
      for (const [key, value] of Object.entries(access.headers)) outgoing.setHeader(key, value)
      const asked = {
        conversation: programs[program],
        said,
        protocol: c.req.header('git-protocol') ?? '',
        by: { name, role },
        host: c.req.header(hostHeader) ?? '',
        onRefused: () => access.refused(c, { code: 'push_refused', name, route: programs[program], needs: null }),
      }
      await answerGit(door, asked, outgoing, leaving.signal)
      outgoing.off('close', leave).end()
    } catch (error) {
      if (outgoing.headersSent || leaving.signal.aborted) outgoing.destroy()
      else if (said?.errored) return plain(c, 400, 'What git said cannot be read, or is too much.')
      else if (error instanceof DrydockError && error.code !== 'git_failed') return refused(error, asker)
      else {
        onError(error)
        return plain(c, 500, 'git failed at the hub. Its own output says more.')
      }
    } finally {
      still()
      time.begin(incoming)
      const left = (open.get(name) ?? 1) - 1
      if (left > 0) open.set(name, left)
      else open.delete(name)
    }
    // A copy, because middleware adds headers to it.
    return RESPONSE_ALREADY_SENT.clone()
  }
}

/** The program of git that a request needs; null for any but git's three requests. */
function programOf({ req }: Context): Program | null {
  const { pathname, searchParams } = new URL(req.url)
  const isProgram = (name: string): name is Program => Object.hasOwn(programs, name)
  if (req.method === 'GET' && pathname === `${gitPath}/info/refs`) {
    const [service = '', ...more] = searchParams.getAll('service')
    return more.length === 0 && isProgram(service) ? service : null
  }
  const name = pathname.slice(gitPath.length + 1)
  if (req.method !== 'POST' || pathname !== `${gitPath}/${name}` || !isProgram(name)) return null
  return req.header('content-type') === `application/x-${name}-request` ? name : null
}

function secretOf(c: Context): string {
  const basic = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (basic === undefined) return bearerOf(c)
  const text = Buffer.from(basic, 'base64').toString('utf8')
  return text.slice(text.indexOf(':') + 1)
}

/** The unpacked body of a request. It ends with an error when it exceeds the limit. */
function bodyOf(incoming: IncomingMessage, program: Program): Readable {
  const { fetchBytes, pushBytes } = limits.hub.git
  // Git itself limits the size of a pack, with a proper message for its client.
  const most = program === 'git-upload-pack' ? fetchBytes : pushBytes + fetchBytes
  const parts = incoming.headers['content-encoding'] === 'gzip' ? [createGunzip()] : []
  // The reader of the stream receives its errors.
  return pipeline([incoming, ...parts, atMost(most)], () => undefined) as unknown as Readable
}

function atMost(bytes: number): Transform {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      done(left < 0 ? new Error(`it has more than ${bytes} bytes`) : null, chunk)
    },
  })
}

/**
 * Ends a connection when neither side has sent data for a while, or when its token is no longer
 * valid. Returns a function that ends the watch.
 */
function stopWhenIdle({ socket }: IncomingMessage, asker: Asker, leaving: AbortController): () => void {
  const moved = () => socket.bytesRead + socket.bytesWritten
  let before = moved()
  const timer = setInterval(() => {
    const now = moved()
    if (now === before) leaving.abort(new Error('the client of git neither speaks nor listens'))
    before = now
    const leave = () => leaving.abort(new Error('the token of a client of git is not good any more'))
    asker.isOpen().then((isOpen) => isOpen || leave(), leave)
  }, limits.hub.git.idleMs)
  return () => clearInterval(timer)
}

function plain(c: Context, status: 401 | 403 | 404 | 429 | number, text: string): Response {
  return c.text(`${text}\n`, status as 404)
}
