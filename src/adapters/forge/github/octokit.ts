import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { AppAccess, ForgeAccess } from '../../../domain/forge/forge-access.ts'
import { createTransport, type Transport } from '../transport.ts'

const Client = Octokit.plugin(paginateRest)
export type Client = InstanceType<typeof Client>

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Octokit on our own transport, either as a user with a token or as an App. */
export async function createClient(access: ForgeAccess): Promise<{ client: Client; transport: Transport }> {
  const { name, url, project, credentials } = access
  const api = apiOf(url)
  const transport = createTransport({ name, api })
  const common = { baseUrl: api, userAgent: 'drydock', log: silent, request: { fetch: transport } }
  if ('token' in credentials) return { client: new Client({ ...common, auth: credentials.token }), transport }
  const { app } = credentials
  const installationId = app.installation ?? (await unwrapped(() => installationOf({ ...common, app, project })))
  const auth = { appId: app.id, privateKey: app.privateKey, installationId }
  return { client: new Client({ ...common, authStrategy: createAppAuth, auth }), transport }
}

/** github.com serves its API at a separate host, GitHub Enterprise below a path. */
function apiOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  if (host === 'github.com') return 'https://api.github.com'
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}/api/v3`
}

async function installationOf({
  app: { id, privateKey },
  project,
  ...common
}: Pick<ConstructorParameters<typeof Client>[0] & object, 'baseUrl' | 'userAgent' | 'request'> & {
  readonly app: AppAccess
  readonly project: string
}): Promise<number> {
  const client = new Client({ ...common, authStrategy: createAppAuth, auth: { appId: id, privateKey } })
  const [owner = '', repo = ''] = project.split('/')
  return (await client.request('GET /repos/{owner}/{repo}/installation', { owner, repo })).data.id
}

/** Octokit wraps the errors that its `fetch` throws. */
export async function unwrapped<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
      if (cause instanceof DrydockError) throw cause
    throw error
  }
}
