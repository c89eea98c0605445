import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { routes } from '../../src/api/routes.ts'
import { errorCatalogue } from '../../src/domain/drydock-error.ts'
import { serveBareHub } from '../server/bare-hub.ts'
import { ask } from '../server/browser.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'deploy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  statSync(join(folder, name)).isFile(),
)

test('every file is told of in a document', () => {
  const told = ['install', 'operations'].map((page) => readFileSync(join(root, 'docs', `${page}.md`), 'utf8')).join()
  for (const name of files) expect(told).toContain(basename(name))
})

const namesIn = (expressions: readonly string[]) =>
  expressions.flatMap((expr) => expr.match(/\b(?:drydock|nodejs|process)_\w+/g) ?? [])

test('figures that the alerts and the dashboard look at are those of a hub, and the dashboard draws all of its own', async () => {
  const hub = await serveBareHub()
  const headers = { Authorization: `Bearer ${await hub.token('prometheus', 'monitor')}` }
  const { body } = await ask(hub.port, routes.metrics.path, { headers })
  const known = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)

  const alerts: { groups: { rules: { expr: string }[] }[] } = parse(read('alerts.yml'))
  const watched = alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
  expect(namesIn(watched).length).toBeGreaterThan(6)
  expect(namesIn(watched).filter((name) => !known.includes(name))).toEqual([])

  const { panels, templating }: Dashboard = JSON.parse(read('grafana/drydock.json'))
  const drawn = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const names = namesIn([...drawn, ...templating.list.map(({ query }) => query)])
  expect(names.filter((name) => !known.includes(name))).toEqual([])
  expect(known.filter((name) => name.startsWith('drydock_') && !names.includes(name))).toEqual([])
})

test('the alerts name errors that there are, at the path that is scraped', () => {
  const [, codes = ''] = /code=~"([^"]+)"/.exec(read('alerts.yml')) ?? []
  for (const code of codes.split('|'))
    expect(Object.keys(errorCatalogue).some((each) => new RegExp(`^${code}$`).test(each))).toBe(true)
  const { scrape_configs }: { scrape_configs: { metrics_path: string }[] } = parse(read('prometheus.yml'))
  expect(scrape_configs[0]?.metrics_path).toBe(routes.metrics.path)
})

test('panels of the dashboard have unique numbers, and do not overlap', () => {
  const { panels }: Dashboard = JSON.parse(read('grafana/drydock.json'))
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const covered = panels.filter(({ gridPos: a }, i) =>
    panels
      .slice(i + 1)
      .some(({ gridPos: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h),
  )
  expect(covered).toEqual([])
})

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly expr: string }[]
  }[]
  readonly templating: { readonly list: readonly { readonly query: string }[] }
}

describe('the image', () => {
  const containerfile = readFileSync(join(root, 'Containerfile'), 'utf8').replaceAll('\\\n', ' ')

  test('is made of files that there are', () => {
    const copied = [...containerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    )
    expect(copied.length).toBeGreaterThan(10)
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
    expect(copied.filter((path) => ignored.includes(path))).toEqual([])
  })

  test('has what the requirements name, authorities for TLS, and a first process', () => {
    const requirements = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8')
    const [, named = ''] = /`apt-get install ([^`]+)`/.exec(requirements) ?? []
    const installed = [...containerfile.matchAll(/--no-install-recommends\s+([^&]+)/g)].at(-1)?.[1] ?? ''
    expect(installed.trim().split(/\s+/)).toEqual([...named.split(' '), 'ca-certificates', 'tini', `\${PACKAGES}`])
  })

  test('keeps every package that the bundles leave out', () => {
    const bundling = readFileSync(join(root, 'scripts', 'bundle.ts'), 'utf8')
    const [, external = ''] = /external: \[\/\^node:\/, '([^\]]+)'\]/.exec(bundling) ?? []
    expect(external).toBe('@vscode/ripgrep')
    expect(containerfile).toContain(`node_modules/${external}* `)
    const { optionalDependencies }: { optionalDependencies: object } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    for (const name of Object.keys(optionalDependencies)) expect(name).toMatch(/^node-linux-/)
  })
})

describe('the healthcheck of the image', () => {
  let made: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'drydock-health-'))
  })
  afterAll(() => rm(made, { recursive: true }))

  const exitOf = async (...words: readonly string[]) => {
    const file = join(made, 'cmdline')
    await writeFile(file, words.map((word) => `${word}\0`).join(''))
    const child = spawn(process.execPath, [join(folder, 'image', 'health.js'), file], { stdio: 'inherit' })
    return (await once(child, 'exit'))[0]
  }

  test('asks a hub at its port, and takes every other command as it is', async () => {
    const { port } = await serveBareHub()
    const started = ['tini', '--', 'drydock']
    expect(await exitOf(...started, 'hub', '--coders', '0', '--listen', `0.0.0.0:${port}`)).toBe(0)
    expect(await exitOf(...started, 'hub', `--listen=127.0.0.1:${port}`)).toBe(0)
    expect(await exitOf(...started, 'hub', '--listen', '127.0.0.1:1')).toBe(1)
    // The server at the port does not speak TLS.
    expect(await exitOf(...started, 'hub', '--listen', `0.0.0.0:${port}`, '--tls-cert', 'c')).toBe(1)
    expect(await exitOf(...started, 'worker', '--hub', 'https://hub.example.com')).toBe(0)
    expect(await exitOf(...started, 'task', 'hub')).toBe(0)
    // One address of several.
    const other = createServer((_, answer) => void answer.end('{"status":"live"}')).listen(0, '127.0.0.2')
    await once(other, 'listening')
    const at = `127.0.0.2:${(other.address() as AddressInfo).port}`
    expect(await exitOf(...started, 'hub', '--listen', at)).toBe(0)
    other.close()
    const probed = [...read('kubernetes/hub.yaml').matchAll(/path: (\/health\S*),/g)].map(([, path = '']) => path)
    expect(probed).toHaveLength(2)
    for (const path of probed) expect((await ask(port, path)).status).not.toBe(404)
  })
})

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
}

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly security_opt?: readonly string[]
}

/** Secret files that the user has to create. */
const own = ['./hub-token', './tls']

test('the compose file has what it mounts, opens nothing to the network, and holds no secret', () => {
  const { services, volumes }: Compose = parse(read('compose.yaml'), { merge: true })
  for (const { image, ports = [], volumes: mounted = [], environment = {} } of Object.values(services)) {
    expect(image === 'drydock' || /:v?\d/.test(image)).toBe(true)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    for (const from of mounted.map((each) => each.split(':')[0] ?? ''))
      expect(own.includes(from) || Object.hasOwn(volumes, from) || existsSync(join(folder, from))).toBe(true)
    for (const [name, value] of Object.entries(environment))
      if (/PASSWORD|KEY|TOKEN/.test(name)) expect(value).toMatch(/^\$\{[A-Z_]+:[-?][^$]*\}$/)
  }
})

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly template?: { readonly spec: Pod }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
  }
}

interface Pod {
  readonly hostUsers: boolean
  readonly securityContext: object
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes: readonly { readonly name: string }[]
}

interface Container {
  readonly args?: readonly string[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string }[]
}

describe('Kubernetes', () => {
  const manifests = files
    .filter((name) => name.startsWith('kubernetes/'))
    .flatMap((name) => parseAllDocuments(read(name)).map((each): Manifest => each.toJS()))
  const sets = manifests.filter(({ kind }) => kind === 'StatefulSet')

  test('gets no secret from a file', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'Namespace',
      'Service',
      'Service',
      'StatefulSet',
      'StatefulSet',
    ])
  })

  test.each(sets)('gives $metadata.name what sandboxes need, and no more', ({ spec }) => {
    if (spec.template === undefined) throw new Error('a set has a template')
    const { containers, initContainers = [], volumes, hostUsers, securityContext } = spec.template.spec
    expect(hostUsers).toBe(false)
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'Unconfined' },
      appArmorProfile: { type: 'Unconfined' },
    })
    const bounded = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
    for (const each of containers)
      expect(each.securityContext).toEqual({ ...bounded, readOnlyRootFilesystem: true, procMount: 'Unmasked' })
    for (const each of initContainers) expect(each.securityContext).toEqual(bounded)
    const named = [
      ...volumes.map(({ name }) => name),
      ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
    ]
    const mounted = [...containers, ...initContainers].flatMap(({ volumeMounts }) => volumeMounts)
    expect(mounted.filter(({ name }) => !named.includes(name))).toEqual([])
  })
})

describe.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd', () => {
  test('finds nothing to say about the units', async () => {
    const made = await mkdtemp(join(tmpdir(), 'drydock-units-'))
    const units = files.filter((name) => name.startsWith('systemd/')).map((name) => basename(name))
    for (const name of units)
      await writeFile(join(made, name), read(`systemd/${name}`).replace('/usr/local/bin/drydock', '/bin/true'))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map((name) => join(made, name))], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    await rm(made, { recursive: true })
    expect(units).toHaveLength(4)
    expect([status, stderr.split('\n').filter((line) => line.includes('drydock'))]).toEqual([0, []])
  })
})

test('the unit of the backup looks for the state where the unit of the hub keeps it', () => {
  const homeIn = (unit: string) => /^Environment=DRYDOCK_HOME=(.+)$/m.exec(read(`systemd/${unit}`))?.[1]
  expect(homeIn('drydock-backup.service')).toBe('/var/lib/drydock')
  expect(homeIn('drydock-hub.service')).toBe('/var/lib/drydock')
})

test('the scripts are POSIX shell', () => {
  for (const name of files.filter((each) => each.endsWith('.sh')))
    expect(spawnSync('dash', ['-n', join(folder, name)], { encoding: 'utf8' }).stderr).toBe('')
})
