import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { type Api, type ApiAnswer, type ApiRequest, type ForgeModel, localToken, project } from './forge-model.ts'
import { giteaApi } from './gitea-api.ts'
import { gitHubApi } from './github-api.ts'
import { gitLabApi } from './gitlab-api.ts'

export type LocalKind = 'github' | 'gitlab' | 'forgejo'

export interface ForgeServer extends ForgeModel {
  readonly kind: LocalKind
  readonly url: string
  /** Every request to the interface, as `METHOD /path`, with its contents. */
  readonly requests: readonly (ApiRequest & { readonly line: string })[]
  /** Answers the next request with a matching line instead of the interface. */
  answer(pattern: RegExp, answer: ApiAnswer): void
  /** Called after a matching request was carried out, before it is answered. */
  after(pattern: RegExp, listener: () => void | Promise<void>): void
  git(...args: string[]): Promise<string>
}

export interface LocalForge extends ForgeServer {
  /** The bare repository on the server. */
  readonly bare: string
  /** A shell script that runs before the server accepts a push. */
  onPush(script: string): Promise<void>
}

export interface ForgeRepository extends Pick<ForgeModel, 'commitOf'> {
  git(...args: string[]): Promise<string>
  /** Answers git over HTTP; omitted for a repository without pushes over HTTP. */
  readonly serve?: (asked: Omit<Backend, 'projects' | 'env'>) => Promise<void>
}

interface Kind {
  readonly root: string
  readonly api: Api
  readonly token: (headers: ApiRequest['headers']) => string | undefined
}

const bearer = ({ authorization }: ApiRequest['headers']) =>
  String(authorization ?? '').replace(/^(?:token|bearer) /i, '')

const kinds: Readonly<Record<LocalKind, Kind>> = {
  github: { root: '/api/v3', api: gitHubApi, token: bearer },
  gitlab: { root: '/api/v4', api: gitLabApi, token: (headers) => String(headers['private-token']) },
  forgejo: { root: '/api/v1', api: giteaApi, token: bearer },
}

/**
 * A forge on this machine: real git over HTTP, and the interface of one kind of forge; both require
 * the token. The fixture's repository has it as `origin`, with its main branch.
 */
export async function startForge(fixture: Fixture, kind: LocalKind): Promise<LocalForge> {
  const projects = join(fixture.folder, `forge-${kind}`)
  const bare = join(projects, `${project.path}.git`)
  await mkdir(join(projects, project.owner), { recursive: true })
  await fixture.git('clone', '-q', '--bare', fixture.repo, bare)
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', bare, ...args], { env: fixture.env })).stdout.trim()
  await git('config', 'http.receivepack', 'true')
  const server = await startForgeServer(kind, {
    git,
    commitOf: (branch) => git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(() => null),
    serve: (asked) => backend({ ...asked, projects, env: fixture.env }),
  })
  await fixture.git('remote', 'add', 'origin', `${server.url}/${project.path}.git`)
  return {
    ...server,
    bare,
    onPush: (script) => writeFile(join(bare, 'hooks', 'pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  }
}

/** The interface of one kind of forge, in front of a repository. The server ends with the test. */
export async function startForgeServer(kind: LocalKind, repository: ForgeRepository): Promise<ForgeServer> {
  const { root, api, token: tokenIn } = kinds[kind]
  const { git, commitOf } = repository
  const requests: (ApiRequest & { readonly line: string })[] = []
  const answers: { readonly pattern: RegExp; readonly answer: ApiAnswer }[] = []
  const listeners: { readonly pattern: RegExp; readonly listener: () => void | Promise<void> }[] = []
  const model: ForgeModel = {
    changes: [],
    statuses: [],
    comments: [],
    issues: [],
    jobs: [],
    accounts: { ada: 'write', grace: 'admin', eve: 'read' },
    commitOf,
  }

  async function ask(request: ApiRequest): Promise<ApiAnswer> {
    const line = `${request.method} ${request.path}`
    requests.push({ ...request, line })
    const scripted = answers.findIndex(({ pattern }) => pattern.test(line))
    if (scripted >= 0) return answers.splice(scripted, 1)[0]?.answer as ApiAnswer
    const isApp = kind === 'github' && /^\/app\/|\/installation$/.test(request.path)
    if (!isApp && tokenIn(request.headers) !== localToken) return { status: 401, body: { message: 'Bad credentials' } }
    const answer = await api(request, model, url)
    for (const { pattern, listener } of listeners) if (pattern.test(line)) await listener()
    return answer
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      // An unusual status, so that a test notices a fault of its world.
      response.writeHead(418, { 'content-type': 'application/json' }).end(JSON.stringify({ message: error.message }))
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url ?? '', 'http://127.0.0.1')
    const raw = await buffer(request)
    if (!at.pathname.startsWith(root)) {
      const basic = Buffer.from(`${request.headers.authorization ?? ''}`.replace(/^Basic /, ''), 'base64').toString()
      if (repository.serve && basic.split(':')[1] === localToken) await repository.serve({ request, response, at, raw })
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end()
      return
    }
    const { status, body, text, headers } = await ask({
      method: request.method ?? '',
      path: decodeURIComponent(at.pathname.slice(root.length)),
      query: at.searchParams,
      headers: request.headers,
      body: raw.length === 0 ? {} : JSON.parse(raw.toString()),
    })
    const said = text ?? (body === undefined ? '' : JSON.stringify(body))
    const etag = `W/"${createHash('sha256').update(said).digest('hex')}"`
    const isKnown = status === 200 && request.method === 'GET' && request.headers['if-none-match'] === etag
    const type = text === undefined ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8'
    response.writeHead(isKnown ? 304 : status, { 'content-type': type, etag, ...headers })
    response.end(isKnown ? '' : said)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...model,
    kind,
    url,
    requests,
    git,
    answer: (pattern, answer) => void answers.push({ pattern, answer }),
    after: (pattern, listener) => void listeners.push({ pattern, listener }),
  }
}

interface Backend {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly at: URL
  readonly raw: Buffer
  readonly projects: string
  readonly env: Fixture['env']
}

/** Git's own CGI server. */
async function backend({ request, response, at, raw, projects, env }: Backend): Promise<void> {
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: env.PATH,
      GIT_PROJECT_ROOT: projects,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'tester',
      REQUEST_METHOD: request.method,
      PATH_INFO: at.pathname,
      QUERY_STRING: at.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      CONTENT_LENGTH: String(raw.length),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(raw)
  const output = await buffer(child.stdout)
  const end = output.indexOf('\r\n\r\n')
  const lines = output.subarray(0, end).toString().split('\r\n')
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
  const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.split(' ')[0] ?? 200)
  response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
  response.end(output.subarray(end + 4))
}
