import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import type { Story } from '../../src/domain/story/story.ts'
import { keepLastLook } from '../../src/workflow/story/work-looks.ts'
import { at, writeFiles } from '../adapters/git/git-world.ts'
import { type ControlWorld, controlWorld } from './control-world.ts'

const story = 'run-1/alpha'
const snapshots = `refs/drydock/snapshots/${story}/`

/** A worker with one prepared workspace; `keep` stores its snapshot under a ref. */
async function atWork(world: ControlWorld, host: string, more: Parameters<ControlWorld['worker']>[1] = {}) {
  const worker = await world.worker(host, more)
  const slot = `${host.replace('/', '-')}-001`
  await worker.workTrees.initialize([slot])
  await worker.workTrees.prepare({ slot, tip: world.tip }, world.signal)
  const workspace = worker.workTrees.path(slot)
  const keep = async (ref: string, files: Readonly<Record<string, string>> = {}) => {
    writeFiles(workspace, files)
    const input = { slot, parents: [world.tip], ref, last: null, message: 'kept', at }
    const kept = await worker.workTrees.snapshot(input, world.signal)
    if (!kept.ok) throw new Error(kept.reason)
    return kept.snapshot
  }
  return { ...worker, slot, workspace, keep }
}

test('a story continues on another host from the tree of its last snapshot, which only the hub has', async () => {
  const world = await controlWorld({ 'README.md': 'one\n' })
  world.hold('north', story)
  const north = await atWork(world, 'north')
  const kept = await north.keep(`${snapshots}1`, { 'new/file.txt': 'new\n' })
  world.hold('north')
  world.hold('south', story)
  const south = await atWork(world, 'south')
  await south.workTrees.prepare({ slot: south.slot, tip: world.tip, tree: kept.tree }, world.signal)
  expect(readFileSync(join(south.workspace, 'new', 'file.txt'), 'utf8')).toBe('new\n')
  expect(await south.history.hidden(snapshots)).toMatchObject([
    { ref: `${snapshots}1`, sha: kept.sha, tree: kept.tree },
  ])
  const tree = await south.history.treeWith({ base: kept.tree, from: world.tip, paths: ['README.md'] })
  const ref = `refs/drydock/candidates/${story}/run_1`
  const sha = await south.history.commit({ tree, parents: [world.tip], message: 'done', ref, at })
  expect(world.at(ref)).toBe(sha)
})

test('a look at the workspace is replaced by the next, and an unchanged one is not sent again', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const north = await atWork(world, 'north')
  const ref = `refs/drydock/looks/${story}/now`
  for (const content of ['two\n', 'three\n', 'two again\n']) {
    const { sha } = await north.keep(ref, { 'README.md': content })
    expect(world.at(ref)).toBe(sha)
  }
  const before = world.asked.length
  await north.keep(ref)
  expect(world.asked).toHaveLength(before)
})

test('under TLS a worker trusts the authority that git is given, and nobody else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const named = ['-subj', '/CN=hub.example', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]
  execFileSync('openssl', [...options, ...named], { stdio: 'ignore' })
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  const door = { host: '127.0.0.1', port: 0, tls, proxyOrigin: null }
  const world = await controlWorld({ 'large.txt': noise() }, [], { door })
  world.hold('north', story)
  const url = `https://127.0.0.1:${world.hub.port}/git`
  const stranger = await world.worker('north', { url })
  await expect(stranger.workTrees.initialize([])).rejects.toMatchObject({
    message: expect.stringMatching(/certificate/),
  })
  const north = await atWork(world, 'north', { url, ca: cert })
  const { sha } = await north.keep(`${snapshots}1`, { 'large.txt': `${noise()}more` })
  expect(world.at(`${snapshots}1`)).toBe(sha)
})

test('a missing name is reported as without a hub, and is found once it exists', async () => {
  const world = await controlWorld()
  const { history, workTrees } = await world.worker('north')
  await workTrees.initialize([])
  const sha = world.fresh()
  expect(await history.isAncestor(sha, world.tip)).toBe(false)
  await expect(history.diff({ from: world.tip, to: sha, maxBytes: 100 })).rejects.toMatchObject({ code: 'not_found' })
  world.gitIn(world.repository, 'push', '--quiet', world.mirror, `${sha}:refs/drydock/merges/run-1/alpha/1`)
  expect(await history.isAncestor(world.tip, sha)).toBe(true)
})

test('a hub that breaks off without a word about a ref is asked again for it', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const [bin, once] = [join(world.top, 'bin'), join(world.top, 'once')]
  mkdirSync(bin)
  const broken = `case " $* " in *' push '*) if mkdir '${once}' 2>&-; then exit 1; fi ;; esac`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${broken}\nPATH='${process.env.PATH}' exec git "$@"\n`, { mode: 0o755 })
  const north = await atWork(world, 'north', { path: `${bin}:${process.env.PATH}` })
  const { sha } = await north.keep(`${snapshots}1`, { 'README.md': 'two\n' })
  expect(readdirSync(world.top)).toContain('once')
  expect(world.at(`${snapshots}1`)).toBe(sha)
})

test('a repository of SHA-256, and one whose history is cut off, are served as well', async () => {
  for (const kind of ['sha256', 'shallow']) {
    const world = await controlWorld({ 'README.md': 'one\n' }, kind === 'sha256' ? ['--object-format=sha256'] : [])
    world.hold('north', story)
    let { tip } = world
    if (kind === 'shallow') {
      writeFiles(world.repository, { 'README.md': 'two\n' })
      tip = world.commitAll()
      writeFileSync(join(world.repository, '.git', 'shallow'), `${tip}\n`)
      await world.userRepository.updateMirror(world.signal)
    }
    const north = await world.worker('north')
    await north.workTrees.initialize(['north-001'])
    await north.workTrees.prepare({ slot: 'north-001', tip }, world.signal)
    const workspace = north.workTrees.path('north-001')
    writeFiles(workspace, { 'new.txt': 'new\n' })
    const input = { slot: 'north-001', parents: [tip], ref: `${snapshots}1`, last: null, message: 'kept', at }
    const kept = await north.workTrees.snapshot(input, world.signal)
    expect(world.at(`${snapshots}1`)).toBe(kept.ok && kept.snapshot.sha)
    expect(world.gitIn(workspace, 'rev-list', '--count', 'HEAD')).toBe('1')
  }
})

/** Text that takes several packets, in both directions. */
function noise(): string {
  return createHash('shake256', { outputLength: 1_500_000 }).digest('base64')
}

/** A connection to the hub that can be refused, or cut once data was sent. */
async function openWay(port: number) {
  let [refusing, cutting] = [0, 0]
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => undefined).on('close', () => sockets.delete(client))
    if (refusing > 0) {
      refusing -= 1
      client.destroy()
      return
    }
    const hub = connect(port, '127.0.0.1')
    hub.on('error', () => undefined).on('close', () => client.destroy())
    // The hub answers only to its own name.
    const named = (chunk: string | Buffer) =>
      Buffer.from(chunk.toString('latin1').replace(/^(Host: 127\.0\.0\.1:)\d+/gim, `$1${port}`), 'latin1')
    client.on('close', () => hub.destroy()).on('data', (chunk) => hub.write(named(chunk)))
    hub.on('data', (chunk) => {
      if (cutting > 0) {
        cutting -= 1
        client.destroy()
      } else client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/git`,
    refuse(count: number) {
      refusing = count
    },
    cut(count: number) {
      cutting = count
    },
    left: () => refusing + cutting,
  }
}

describe('a hub that does not answer', () => {
  test('is tried again until it does', async () => {
    const world = await controlWorld()
    world.hold('north', story)
    const way = await openWay(world.hub.port)
    const north = await atWork(world, 'north', way)
    way.refuse(2)
    const { sha } = await north.keep(`${snapshots}1`, { 'README.md': 'two\n' })
    expect(world.at(`${snapshots}1`)).toBe(sha)
    way.cut(2)
    const made = world.apart()
    world.gitIn(world.repository, 'push', '--quiet', world.mirror, `${made}:refs/drydock/merges/run-1/alpha/1`)
    expect(await north.history.isAncestor(world.tip, made)).toBe(true)
    expect(way.left()).toBe(0)
  })

  test('is given up after a while, and a token that is revoked at once', async () => {
    const world = await controlWorld()
    world.hold('north', story)
    const { reachMs } = limits.hub.git
    onTestFinished(() => void Object.assign(limits.hub.git, { reachMs }))
    Object.assign(limits.hub.git, { reachMs: 1_000 })
    const way = await openWay(world.hub.port)
    const north = await atWork(world, 'north', way)
    way.refuse(1_000)
    await expect(north.keep(`${snapshots}1`, { a: 'a' })).rejects.toMatchObject({ code: 'hub_unreachable' })
    way.refuse(0)
    await world.hub.rows.deleteHubToken('north')
    await expect(north.keep(`${snapshots}1`)).rejects.toMatchObject({ code: 'hub_refused' })
    expect(world.at(`${snapshots}1`)).toBe('')
  })
})

test('work of a lost host is its last look after the last snapshot of this try, and no other', async () => {
  const world = await controlWorld({ 'README.md': 'one\n' })
  world.hold('north', story)
  const north = await atWork(world, 'north')
  writeFiles(north.workspace, { 'README.md': 'two\n' })
  const data = { name: 'alpha', base: world.tip, merging: null, snapshot: null, snapshots: 0 }
  const keep = (name: string, snapshots: number) =>
    keepLastLook(world, { id: story, run: 'run-1', data: { ...data, name, snapshots } } as unknown as Story)
  const input = { slot: north.slot, parents: [world.tip], ref: `refs/drydock/looks/${story}/now`, last: null, at }
  await north.workTrees.snapshot({ ...input, message: 'A look at alpha of run-1 after snapshot 0\n' }, world.signal)
  expect([await keep('alpha', 1), await keep('alpha@2', 0)]).toEqual([null, null])
  const kept = await keep('alpha', 0)
  expect(world.gitIn(world.mirror, 'show', `${kept?.snapshot?.sha}:README.md`)).toBe('two')
})

describe('names', () => {
  test('is fetched once, by however many it is named at once', async () => {
    const world = await controlWorld({ 'README.md': 'one\n', '.drydock/config.json': '{}' })
    const { history, workTrees, committed } = await world.worker('north')
    await workTrees.initialize([])
    const before = world.asked.length
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => history.tree(world.tip)),
      history.namesIn(world.tip, '.drydock'),
      history.committed(world.tip).read('README.md', 100, world.signal),
      committed.fileAt(world.tip, '.drydock/config.json', 100),
      committed.committed(world.tip).list('**', 10, world.signal),
    ])
    expect(answers.slice(-4)).toMatchObject([['config.json'], { ok: true }, '{}', { ok: true }])
    // One fetch asks for the names, the other for the pack.
    expect(world.asked.slice(before)).toEqual(['fetch', 'fetch'])
    await history.tree(world.tip)
    expect(world.asked).toHaveLength(before + 2)
  })
})

test('a worker that was given up overwrites nothing: it is refused, and its successor takes another name', async () => {
  const world = await controlWorld()
  world.hold('north/a', story)
  const north = await atWork(world, 'north/a')
  const orphan = await north.keep(`${snapshots}1`, { 'README.md': 'of the north\n' })
  world.hold('north/a')
  world.hold('north/b', story)
  await expect(north.keep(`${snapshots}2`, { 'README.md': 'late\n' })).rejects.toMatchObject({ code: 'hub_refused' })
  const south = await atWork(world, 'north/b')
  const first = await south.keep(`${snapshots}1`, { 'README.md': 'of the south\n' })
  expect([world.at(`${snapshots}1`), world.at(`${snapshots}1-2`)]).toEqual([orphan.sha, first.sha])
  await expect(north.keep(`${snapshots}1`, { 'README.md': 'later\n' })).rejects.toMatchObject({ code: 'hub_refused' })
  expect(world.gitIn(world.mirror, 'for-each-ref', '--format=%(refname)', snapshots).split('\n')).toHaveLength(2)
})
