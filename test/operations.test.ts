import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { routes } from '../src/api/routes.ts'
import { errorCatalogue } from '../src/domain/drydock-error.ts'
import { serveBareHub } from './server/bare-hub.ts'
import { ask } from './server/browser.ts'

const folder = fileURLToPath(new URL('../examples/operations', import.meta.url))
const read = (name: string) => readFile(join(folder, name), 'utf8')

test('every file of the example is told of in the document', async () => {
  const told = await readFile(fileURLToPath(new URL('../docs/operations.md', import.meta.url)), 'utf8')
  for (const name of await readdir(folder)) expect(told).toContain(name)
})

test('the alerts look at figures that a hub has, and at errors that there are', async () => {
  const hub = await serveBareHub()
  const headers = { Authorization: `Bearer ${await hub.token('prometheus', 'monitor')}` }
  const { body } = await ask(hub.port, routes.metrics.path, { headers })
  const known = new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const alerts: { groups: { rules: { expr: string }[] }[] } = parse(await read('alerts.yml'))
  const asked = alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
  const names = asked.flatMap((expr) => expr.match(/\b(?:drydock|nodejs)_\w+/g) ?? [])
  expect(names.length).toBeGreaterThan(6)
  expect(names.filter((name) => !known.has(name))).toEqual([])
  const codes =
    asked
      .join()
      .match(/code=~"([^"]+)"/)?.[1]
      ?.split('|') ?? []
  for (const code of codes)
    expect(Object.keys(errorCatalogue).some((each) => new RegExp(`^${code}$`).test(each))).toBe(true)
  const { scrape_configs }: { scrape_configs: { metrics_path: string }[] } = parse(await read('prometheus.yml'))
  expect(scrape_configs[0]?.metrics_path).toBe(routes.metrics.path)
})

test('the compose file has what it mounts, and opens nothing to the network', async () => {
  const { services, volumes } = parse(await read('compose.yaml')) as {
    services: Record<string, { image: string; ports: string[]; volumes: string[] }>
    volumes: Record<string, null>
  }
  for (const { image, ports, volumes: mounted } of Object.values(services)) {
    expect(image).toMatch(/:v?\d/)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    for (const from of mounted.map((each) => each.split(':')[0] ?? ''))
      expect(from === './hub-token' || Object.hasOwn(volumes, from) || existsSync(join(folder, from))).toBe(true)
  }
})

describe.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd', () => {
  test('finds nothing to say about the units', async () => {
    const made = await mkdtemp(join(tmpdir(), 'drydock-units-'))
    const units = (await readdir(folder)).filter((name) => /\.(?:service|timer)$/.test(name))
    for (const name of units) {
      const text = (await read(name)).replace('/usr/local/bin/drydock', '/bin/true')
      await writeFile(join(made, name), text)
    }
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map((name) => join(made, name))], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    await rm(made, { recursive: true })
    expect(units).toHaveLength(3)
    expect([status, stderr.split('\n').filter((line) => line.includes('drydock'))]).toEqual([0, []])
  })
})

test('the scripts are POSIX shell', async () => {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.sh')))
    expect(spawnSync('dash', ['-n', join(folder, name)], { encoding: 'utf8' }).stderr).toBe('')
})
