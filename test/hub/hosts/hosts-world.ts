import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { makeServer, type PostgresServer, psql } from '../../postgres/server.ts'
import { createCrewFixture } from '../../scenarios/world/crew.ts'
import type { Fixture } from '../../scenarios/world/fixture.ts'
import { configureUser } from '../../scenarios/world/hook.ts'
import { bucket, keyId, startFauxqs } from '../../wire/s3-servers.ts'
import type { WireServer } from '../../wire/wire-server.ts'
import { createHost, type Host } from './host.ts'
import { model, patience, prices, startCrew } from './model.ts'
import { centre, createNetwork, network } from './network.ts'
import { type Supervisor, supervise } from './supervised.ts'
import { database, watchForZombies } from './zombie-watch.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

const port = 4517

/** Three machines with workers, and one with the hub, the database, the bucket and the model. */
export interface HostsWorld {
  readonly fixture: Fixture
  readonly server: PostgresServer
  readonly crew: WireServer
  readonly hub: Supervisor
  readonly hosts: readonly Host[]
  readonly names: readonly string[]
  readonly run: string
  /** Resumes a run that an error has stopped. */
  resume(): Promise<void>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly stories: number
  /** True if this number of built stories is more than the storm needs at present. */
  isAhead(built: number): boolean
}

export async function createHostsWorld({ stories, isAhead }: WorldOptions): Promise<HostsWorld> {
  createNetwork()
  const folder = mkdtempSync(join(tmpdir(), 'drydock-hosts-'))
  chmodSync(folder, 0o755)
  const server = await makeServer(join(folder, 'postgres'), { listen_addresses: `127.0.0.1,${centre}` })
  appendFileSync(join(server.folder, 'data', 'pg_hba.conf'), `host all all ${network} trust\n`)
  psql(server, 'select pg_reload_conf()')
  psql(server, `create database ${database}`)
  const blobs = await startFauxqs(centre)

  const certificate = makeCertificate(folder)
  const env = {
    DRYDOCK_DATABASE_URL: `postgres://app@${centre}:${server.port}/${database}`,
    AWS_ACCESS_KEY_ID: keyId,
    AWS_SECRET_ACCESS_KEY: 'the-key-of-the-storm',
    NODE_EXTRA_CA_CERTS: certificate.cert,
    GIT_SSL_CAINFO: certificate.cert,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
  const fixture = await createCrewFixture({ env, config: patience })
  const names = Array.from({ length: stories }, (_, i) => `s${String(i + 1).padStart(2, '0')}`)
  const built = () => {
    try {
      return Number(psql(server, 'select count(*) from storm.built', database))
    } catch {
      // Without the database nothing counts as ahead.
      return 0
    }
  }
  const crew = await startCrew({ names, address: centre, isAhead: () => isAhead(built()) })
  await configureUser(fixture, {
    providers: { wire: { kind: 'openai-compatible', baseURL: `${crew.origin}/v1` } },
    prices,
    state: { blobs: { s3: { bucket, endpoint: blobs.url, prefix: 'storm' } } },
  })

  const tls = ['--tls-cert', certificate.cert, '--tls-key', certificate.key]
  const args = [
    'hub',
    '--listen',
    `${centre}:${port}`,
    ...tls,
    '--coders',
    '0',
    '--model',
    model,
    '--repo',
    fixture.repo,
  ]
  const tokens = new Map<string, string>()
  const hostNames = ['one', 'two', 'three']
  for (const name of hostNames)
    tokens.set(name, (await fixture.drydock('hub', 'token', 'add', name, '--role', 'worker')).stdout.trim())
  const hub = supervise(() => spawn(bin, args, { env: fixture.env, stdio: ['ignore', 'pipe', 'pipe'] }))
  await hub.line(/^https:\S+$/)
  const hosts = hostNames.map((name, i) => {
    const own = { ...fixture.env, DRYDOCK_HUB_TOKEN: tokens.get(name) ?? '' }
    return createHost(name, i + 1, { folder, hub: `https://${centre}:${port}`, env: own })
  })
  watchForZombies(server, hosts)
  await Promise.all(hosts.map(({ worker }) => worker.line(/"type":"worker"/)))

  const ada = (await fixture.drydock('hub', 'token', 'add', 'ada', '--role', 'operator')).stdout.trim()
  const post = poster(ada, certificate.cert)
  const { run } = await post('/api/runs', { spec: '# Weather a storm' })
  return {
    fixture,
    server,
    crew,
    hub,
    hosts,
    names,
    run,
    // The hub may be unreachable, and is asked again later.
    resume: () => post(`/api/runs/${run}/resume`, {}).catch(() => undefined),
    async close() {
      await Promise.all([hub.end('SIGKILL'), ...hosts.map((host) => host.end())])
      await crew.close()
      await blobs.close()
      await server.stop('SIGQUIT')
      for (const { disk } of hosts) execFileSync('umount', ['--lazy', disk])
      execFileSync('rm', ['-rf', folder])
      await fixture.remove()
    },
  }
}

/** Posts commands to the hub with this token. */
function poster(token: string, authority: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const ca = readFileSync(authority)
  return async (path: string, body: object) => {
    const asked = request(`https://${centre}:${port}${path}`, { method: 'POST', headers, ca })
    const answered = once(asked, 'response')
    asked.end(JSON.stringify(body))
    const [response] = (await answered) as [IncomingMessage]
    const answer = await text(response)
    if (response.statusCode !== 202) throw new Error(`${response.statusCode} ${answer}`)
    return JSON.parse(answer)
  }
}

/**
 * A certificate for the hub's address, from a separate authority. It was valid before any clock was
 * changed.
 */
function makeCertificate(folder: string) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9']
  const named = ['-subj', '/CN=hub.example', '-addext', `subjectAltName=IP:${centre}`, '-keyout', key, '-out', cert]
  execFileSync('faketime', ['-f', '-2d', 'openssl', ...made, ...named], { stdio: 'ignore' })
  return { key, cert }
}
