import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import type { Manifest } from '../../src/domain/verification/verdict.ts'
import { type Artifacts, type Layer, LayerRefused, type RunFolder } from '../../src/ports/artifacts.ts'
import { type ArtifactPlace, artifactPlaces } from './artifact-places.ts'

const secret = 'a-secret-of-the-user-1234567890'
const hidden = '[redacted by drydock]'
const id = 'run_20261103_100000_abcdef'
const other = 'run_20261103_100001_abcdef'
const manifestOf = (status: Manifest['status']) => ({ run_id: id, status }) as Manifest
const fail = manifestOf('FAIL')
const later = new Date(Date.now() + 3_600_000)
const { signal } = new AbortController()

describe.each(artifactPlaces)('artifacts $name', ({ make }) => {
  let place: ArtifactPlace
  let artifacts: Artifacts
  beforeEach(() => {
    place = make(createRedactor([secret]))
    artifacts = place.open()
  })
  afterEach(() => place.close())

  const openRun = (runId = id) => artifacts.openRun(runId, { ofBase: false })

  function writeLog(folder: RunFolder, name: string, ...pieces: readonly string[]): void {
    const log = folder.openLog(name)
    for (const piece of pieces) log.write(Buffer.from(piece))
    log.close()
  }

  /** A finished verification with these logs. */
  async function finished(logs: Readonly<Record<string, string>>): Promise<void> {
    const folder = await openRun()
    for (const [name, text] of Object.entries(logs)) writeLog(folder, name, text)
    await folder.finish(fail)
  }

  const readFile = async (path: string) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of artifacts.readFile(id, path)) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  const textOf = async (path: string) => {
    const found = await artifacts.readLog(id, path, 1_000)
    return found.ok ? found.text : found.reason
  }

  describe('the folder of a verification', () => {
    test('is empty at its beginning, whatever an interrupted one of its id has left', async () => {
      const first = await openRun()
      place.write(`${first.path}/build/left`, 'x')
      place.write(`${(await artifacts.openBeside(id, 'base')).path}/build/left`, 'x')
      const again = await openRun()
      expect(again.path).toBe(first.path)
      expect([await again.report('build/left', 9), await artifacts.runs()]).toEqual([null, [id]])
      expect(await again.finish(fail)).toEqual(['manifest.json'])
    })

    test('lets steps write below logs, build, cache and tmp alone', async () => {
      const { path, mounts } = await openRun()
      expect(mounts).toEqual([
        { path, access: 'read' },
        ...['logs', 'build', 'tmp', 'cache'].map((name) => ({ path: `${path}/${name}`, access: 'write' })),
      ])
    })

    test('at its end has the manifest, its logs and what steps have left, and neither cache nor tmp', async () => {
      const folder = await openRun()
      writeLog(folder, 'combined.log', 'honest\n')
      for (const path of ['logs/junit.xml', 'build/a/b', 'tmp/x', 'cache/x'])
        place.write(`${folder.path}/${path}`, `at ${path}`)
      const listed = ['build/a/b', 'logs/combined.log', 'logs/junit.xml', 'manifest.json']
      expect(await folder.finish(fail)).toEqual(listed)
      expect(JSON.parse(place.read(`${folder.path}/manifest.json`) ?? '')).toEqual(fail)
      expect(place.read(`${folder.path}/build/a/b`)).toBe('at build/a/b')
      expect([place.read(`${folder.path}/tmp/x`), place.read(`${folder.path}/cache/x`)]).toEqual([null, null])
    })

    test('is finished once', async () => {
      const folder = await openRun()
      writeLog(folder, 'combined.log', 'x')
      await folder.finish(fail)
      await expect(folder.finish(manifestOf('PASS'))).rejects.toThrow()
      expect(JSON.parse(await readFile('manifest.json'))).toEqual(fail)
    })

    test('has no secret in its manifest, its logs and the files that steps leave beside them', async () => {
      const folder = await openRun()
      writeLog(folder, 'combined.log', 'key ', secret.slice(0, 9), `${secret.slice(9)}\n`, 'end')
      place.write(`${folder.path}/logs/junit.xml`, `<a b="${secret}"/>`)
      await folder.finish({ ...fail, tree_sha: secret })
      expect(await textOf('combined.log')).toBe(`key ${hidden}\nend`)
      expect(await textOf('junit.xml')).toBe(`<a b="${hidden}"/>`)
      expect(JSON.parse(await readFile('manifest.json'))).toMatchObject({ tree_sha: hidden })
    })

    test('keeps files that are laid down for a mount out of the steps’ sight, and only until its end', async () => {
      for (const end of ['discard', 'finish'] as const) {
        const folder = await artifacts.openBeside('run_1', end)
        const laid = await folder.lay(new Map([['deep/a.txt', Buffer.from('a')]]))
        expect(place.read(`${laid}/deep/a.txt`)).toBe('a')
        expect(folder.mounts.some((mount) => 'path' in mount && laid.startsWith(`${mount.path}/`))).toBe(false)
        await (end === 'discard' ? folder.discard() : folder.finish(fail))
        expect(place.read(`${laid}/deep/a.txt`)).toBeNull()
      }
    })

    test('that is discarded was never there', async () => {
      const folder = await openRun()
      place.write(`${folder.path}/build/x`, 'x')
      await folder.discard()
      expect([await artifacts.runs(), place.read(`${folder.path}/build/x`)]).toEqual([[], null])
    })
  })

  describe('a log', () => {
    test('is out of reach of the steps until the end, and what they put in its place is gone', async () => {
      const folder = await openRun()
      writeLog(folder, 'combined.log', 'honest\n')
      expect(await folder.report('logs/combined.log', 100)).toBeNull()
      place.write(`${folder.path}/logs/combined.log`, 'forged\n')
      expect(await folder.report('logs/combined.log', 100)).toBe('forged\n')
      await folder.finish(fail)
      expect(await textOf('combined.log')).toBe('honest\n')
    })

    test('continues at its end when it is opened again', async () => {
      const folder = await openRun()
      writeLog(folder, 'hybrid.log', 'first\n')
      writeLog(folder, 'hybrid.log', 'second\n')
      expect(await folder.finish(fail)).toEqual(['logs/hybrid.log', 'manifest.json'])
      expect(await textOf('hybrid.log')).toBe('first\nsecond\n')
    })

    test('may be closed twice', async () => {
      const log = (await openRun()).openLog('a.log')
      log.write(Buffer.from('x'))
      log.close()
      log.close()
    })

    test('is read from its end, from the start of a line, with a count of what is skipped', async () => {
      await finished({ 'a.log': 'one\ntwo\nthree\n' })
      expect(await artifacts.readLog(id, 'a.log', 14)).toMatchObject({
        ok: true,
        text: 'one\ntwo\nthree\n',
        skipped: null,
      })
      const skipped = (bytes: number, lines: number) => ({ bytes, lines })
      expect(await artifacts.readLog(id, 'a.log', 8)).toMatchObject({
        ok: true,
        text: 'three\n',
        skipped: skipped(8, 2),
      })
      expect(await artifacts.readLog(id, 'a.log', 3)).toMatchObject({ ok: true, text: '', skipped: skipped(14, 3) })
    })

    test('of one long line is read from the middle of it', async () => {
      await finished({ 'a.log': 'one\n1234567890' })
      expect(await artifacts.readLog(id, 'a.log', 4)).toMatchObject({
        ok: true,
        text: '7890',
        skipped: { bytes: 10, lines: 1 },
      })
    })

    test('is read at no path that leads elsewhere, is a folder, or is not there', async () => {
      const folder = await openRun()
      place.write(`${folder.path}/logs/deep/a.log`, 'x')
      await folder.finish(fail)
      expect(await textOf('deep/a.log')).toBe('x')
      expect(await textOf('b.log')).toBe('does not exist')
      expect(await textOf('../manifest.json')).toBe('leads out of logs')
      expect(await textOf('deep')).toBe('is not a file')
      expect(await artifacts.readLog(other, 'a.log', 9)).toEqual({ ok: false, reason: 'does not exist' })
    })
  })

  describe('what steps leave', () => {
    test.each(['logs/junit.xml', 'build/junit.xml', 'tmp/junit.xml'])('is read at %s', async (name) => {
      const folder = await openRun()
      place.write(`${folder.path}/${name}`, '<testsuite/>')
      expect(await folder.report(name, 12)).toBe('<testsuite/>')
      expect(await folder.report(name, 11)).toBeNull()
    })

    test('is not a report if it is missing, is a folder, or is outside', async () => {
      const folder = await openRun()
      place.write(`${folder.path}/build/deep/a`, 'x')
      place.write(`${folder.path}/cache/a`, 'x')
      const asked = ['build/b', 'build/deep', 'build', 'cache/a', 'manifest.json', '../a', 'build/../../a']
      expect(await Promise.all(asked.map((name) => folder.report(name, 9)))).toEqual(asked.map(() => null))
    })

    test('is forgotten, a file or a folder, and nothing else', async () => {
      const folder = await openRun()
      const beside = await artifacts.openBeside(id, 'base')
      place.write(`${beside.path}/build/kept`, 'x')
      for (const path of ['logs/a', 'build/deep/a', 'build/deeper/a', 'tmp/a'])
        place.write(`${folder.path}/${path}`, 'x')
      for (const path of ['logs/a', 'build/deep', 'build/none', 'tmp', '.', `../${id}~base/build/kept`])
        await folder.forget(path)
      const left = ['logs/a', 'build/deep/a', 'build/deeper/a', 'tmp/a'].map((path) => folder.report(path, 9))
      expect(await Promise.all(left)).toEqual([null, null, 'x', 'x'])
      expect(await beside.report('build/kept', 9)).toBe('x')
    })
  })

  describe('the overlay', () => {
    test('becomes build/overlay, in place of what a step has put there', async () => {
      const folder = await openRun()
      place.write(`${folder.path}/build/overlay/forged`, 'x')
      place.write(`${folder.overlay}/src/made.ts`, 'made')
      expect(await folder.finish(fail)).toEqual(['build/overlay/src/made.ts', 'manifest.json'])
      expect(await readFile('build/overlay/src/made.ts')).toBe('made')
    })

    test('tells the wanted files in it, and whether all was looked at', async () => {
      const folder = await openRun()
      const asked = { isWanted: (path: string) => path.endsWith('.json'), most: 100 }
      expect(await folder.written(asked)).toEqual({ paths: [], isWhole: true })
      for (const path of ['b/deep/c.json', 'a.json', 'b/d.txt']) place.write(`${folder.overlay}/${path}`, 'x')
      expect(await folder.written(asked)).toEqual({ paths: ['a.json', 'b/deep/c.json'], isWhole: true })
      expect((await folder.written({ ...asked, most: 2 })).isWhole).toBe(false)
    })

    test('loses what was written before it was renewed', async () => {
      const folder = await openRun()
      expect(await folder.overlaid()).toEqual([])
      place.write(`${folder.overlay}/a`, 'x')
      place.write(`${folder.overlay}/b/c`, 'x')
      expect([...(await folder.overlaid())].sort()).toEqual(['a', 'b'])
      await folder.renewOverlay()
      expect(place.read(`${folder.overlay}/a`)).toBeNull()
      place.write(`${folder.overlay}/b`, 'x')
      expect(await folder.finish(fail)).toEqual(['build/overlay/b', 'manifest.json'])
    })
  })

  describe('the caches of tools', () => {
    /** A view of a run's cache: its steps read and write at a path in it. */
    function cacheOf({ path, mounts }: RunFolder) {
      const at = `${path}/cache`
      const mount = mounts.find((each) => each.at === at || (each.access === 'write' && each.path === at))
      if (mount === undefined) throw new Error('no cache')
      const folders = mount.access === 'overlay' ? [mount.upper, ...mount.lower] : [at]
      return {
        read: (name: string) => folders.map((folder) => place.read(`${folder}/${name}`)).find((text) => text !== null),
        write: (name: string, text: string) => place.write(`${folders[0]}/${name}`, text),
      }
    }

    async function verifyBase(status: Manifest['status'], files: Readonly<Record<string, string>>, at = artifacts) {
      const folder = await at.openRun(id, { ofBase: true })
      for (const [name, text] of Object.entries(files)) cacheOf(folder).write(name, text)
      await folder.finish(manifestOf(status))
    }

    test('are kept by a base commit that passes, and are seen by every later verification', async () => {
      await verifyBase('PASS', { 'go/a': 'first' })
      expect(cacheOf(await openRun(other)).read('go/a')).toBe('first')
      await verifyBase('PASS', { 'go/b': 'second' })
      const view = cacheOf(await artifacts.openRun(other, { ofBase: true }))
      expect([view.read('go/a'), view.read('go/b')]).toEqual(['first', 'second'])
      expect(cacheOf(await place.open().openRun(other, { ofBase: false })).read('go/b')).toBe('second')
    })

    test('are changed neither by a change nor by a base commit that fails', async () => {
      await verifyBase('PASS', { 'go/a': 'kept' })
      const folder = await openRun(other)
      cacheOf(folder).write('go/a', 'poisoned')
      expect(cacheOf(folder).read('go/a')).toBe('poisoned')
      await folder.finish(manifestOf('PASS'))
      await verifyBase('FAIL', { 'go/a': 'poisoned' })
      expect(cacheOf(await openRun(other)).read('go/a')).toBe('kept')
    })

    test('are those of one repository', async () => {
      const second = artifacts.ofRepository('second')
      await verifyBase('PASS', { a: 'of the first' })
      await verifyBase('PASS', { a: 'of the second' }, second)
      const [first, third] = [
        await openRun(other),
        await artifacts.ofRepository('third').openRun('c', { ofBase: false }),
      ]
      expect(cacheOf(first).read('a')).toBe('of the first')
      expect(cacheOf(await second.openRun(other, { ofBase: false })).read('a')).toBe('of the second')
      expect(cacheOf(third).read('a')).toBeUndefined()
    })
  })

  describe('a folder beside that of a verification', () => {
    test('has nothing in common with it, and is discarded alone', async () => {
      const own = await openRun()
      const beside = await artifacts.openBeside(id, 'base')
      place.write(`${beside.path}/logs/junit.xml`, 'x')
      place.write(`${own.path}/logs/own.xml`, 'own')
      expect(await own.report('logs/junit.xml', 9)).toBeNull()
      await beside.discard()
      expect(place.read(`${beside.path}/logs/junit.xml`)).toBeNull()
      expect(await own.report('logs/own.xml', 9)).toBe('own')
    })

    test('counts as its verification, and goes with it', async () => {
      const beside = await artifacts.openBeside(id, 'base')
      place.write(`${beside.path}/build/x`, 'x')
      await openRun(other)
      expect(await artifacts.runs()).toEqual([id, other])
      await artifacts.removeRun(id)
      expect([await artifacts.runs(), place.read(`${beside.path}/build/x`)]).toEqual([[other], null])
    })
  })

  describe('the files of a verification', () => {
    test('are its manifest, then its logs, then what was built', async () => {
      const folder = await openRun()
      writeLog(folder, 'b.log', 'bb')
      writeLog(folder, 'a.log', 'a')
      place.write(`${folder.path}/build/deep/x`, 'xxx')
      expect(await artifacts.files(id)).toEqual([])
      await folder.finish(fail)
      const bytes = (await readFile('manifest.json')).length
      expect(await artifacts.files(id)).toEqual([
        { path: 'manifest.json', bytes },
        { path: 'logs/a.log', bytes: 1 },
        { path: 'logs/b.log', bytes: 2 },
        { path: 'build/deep/x', bytes: 3 },
      ])
      expect(await readFile('build/deep/x')).toBe('xxx')
    })

    test('are nothing where none was finished, and none is read that is not there', async () => {
      expect(await artifacts.files(id)).toEqual([])
      await finished({})
      await expect(readFile('logs/none.log')).rejects.toThrow()
      await artifacts.removeRun(id)
      expect([await artifacts.files(id), await artifacts.runs()]).toEqual([[], []])
    })
  })

  describe('the output of a command', () => {
    const of = (name: string, lane = 'run-1/editor/task/CODING') => ({ run: 'run-1', lane, name })

    test('is kept without secrets, for its lane alone, and replaced under its name', async () => {
      expect(await artifacts.output(of('1-1'))).toBeNull()
      await artifacts.keepOutput(of('1-1'), 'before')
      await artifacts.keepOutput(of('1-1'), `key ${secret}\nmore\n`)
      expect(await place.open().output(of('1-1'))).toBe(`key ${hidden}\nmore\n`)
      expect(await artifacts.output(of('1-1', 'run-1/editor/other/CODING'))).toBeNull()
      expect(await artifacts.output(of('1-2'))).toBeNull()
    })

    test('has a name that leads nowhere else', async () => {
      await expect(artifacts.keepOutput(of('../1-1'), 'x')).rejects.toThrow('no name of an output')
      await expect(artifacts.output({ ...of('1-1'), run: '..' })).rejects.toThrow('no name of an output')
    })

    test('goes when its lane has too many newer ones, or its Run is forgotten', async () => {
      await artifacts.keepOutput(of('1-0', 'another lane'), 'x')
      for (let n = 0; n <= limits.commandOutputs; n += 1) await artifacts.keepOutput(of(`1-${n}`), `${n}`)
      const kept = Array.from({ length: limits.commandOutputs + 1 }, (_, n) => artifacts.output(of(`1-${n}`)))
      expect((await Promise.all(kept)).filter((text) => text !== null)).toHaveLength(limits.commandOutputs)
      expect(await artifacts.output(of(`1-${limits.commandOutputs}`))).toBe(`${limits.commandOutputs}`)
      expect(await artifacts.output(of('1-0', 'another lane'))).toBe('x')
      expect(await artifacts.outputRuns()).toEqual(['run-1'])
      await artifacts.removeOutputs('run-1')
      expect([await artifacts.outputRuns(), await artifacts.output(of('1-1'))]).toEqual([[], null])
    })
  })

  test('a list of tests is what was kept last under its key, for good or for this process', async () => {
    expect(await artifacts.testList('a')).toBeNull()
    await artifacts.keepTestList('a', 'first', { forGood: true })
    await artifacts.keepTestList('a', 'second', { forGood: true })
    await artifacts.keepTestList('b', 'passing', { forGood: false })
    expect([await artifacts.testList('a'), await artifacts.testList('b')]).toEqual(['second', 'passing'])
    const next = place.open()
    expect([await next.testList('a'), await next.testList('b')]).toEqual(['second', null])
  })

  describe('work that is done alone', () => {
    test('is done in the order of asking, beside that of other names, and after a failure as well', async () => {
      const [order, free] = [[] as string[], Promise.withResolvers<void>()]
      const work = (name: string, key: string, until?: Promise<void>) =>
        artifacts.ofRepository('x').alone(
          key,
          async () => {
            await until
            order.push(name)
            if (name === 'fails') throw new Error('no')
            return name
          },
          signal,
        )
      const first = work('first', 'a', free.promise)
      const fails = work('fails', 'a').catch(() => 'failed')
      const last = work('last', 'a')
      expect(await work('elsewhere', 'b')).toBe('elsewhere')
      free.resolve()
      expect(await Promise.all([first, fails, last])).toEqual(['first', 'failed', 'last'])
      expect(order).toEqual(['elsewhere', 'first', 'fails', 'last'])
    })

    test('is not done once nobody waits for it any more, and holds up nobody', async () => {
      const [order, free, stop] = [[] as string[], Promise.withResolvers<void>(), new AbortController()]
      const first = artifacts.alone('a', () => free.promise, signal)
      const given = artifacts.alone('a', async () => void order.push('given up'), stop.signal)
      const last = artifacts.alone('a', async () => void order.push('last'), signal)
      stop.abort(new Error('enough'))
      await expect(given).rejects.toThrow('enough')
      expect(order).toEqual([])
      free.resolve()
      await Promise.all([first, last])
      expect(order).toEqual(['last'])
      await expect(artifacts.alone('b', async () => {}, stop.signal)).rejects.toThrow('enough')
    })
  })

  describe('a layer', () => {
    async function makeLayer(key: string, files: Readonly<Record<string, string>>, outputs = ['deps']) {
      const draft = await artifacts.draftLayer(key)
      draft.log.write(Buffer.from(`made with ${secret}\n`))
      draft.log.close()
      for (const [path, text] of Object.entries(files)) place.write(`${draft.upper}/${path}`, text)
      return { draft, kept: await draft.keep(outputs, { isOfStart: true }) }
    }

    test('has its outputs and nothing else once it is kept, in the next process as well', async () => {
      expect(await artifacts.layer('key')).toBeNull()
      const { draft, kept } = await makeLayer('key', { 'deps/a': 'a', 'web/lib/b': 'b', other: 'x' }, [
        'deps',
        'web/lib',
      ])
      const layer = kept as Layer
      expect(layer).toEqual({
        key: 'key',
        folder: expect.any(String),
        outputs: ['deps', 'web/lib'],
        scratch: [],
        isOfStart: true,
      })
      expect(await place.open().layer('key')).toEqual(layer)
      const read = ['deps/a', 'web/lib/b', 'other'].map((path) => place.read(`${layer.folder}/${path}`))
      expect(read).toEqual(['a', 'b', null])
      expect(place.read(`${draft.upper}/other`)).toBeNull()
    })

    test('is not there while it lacks an output, whose name is told', async () => {
      const { draft, kept } = await makeLayer('key', { 'deps/a': 'a', file: 'x' }, ['deps', 'file'])
      expect(kept).toEqual({ missing: 'file' })
      expect(await artifacts.layer('key')).toBeNull()
      const log = await draft.discard()
      expect(place.read(log)).toBe(`made with ${hidden}\n`)
      expect(place.read(`${draft.upper}/file`)).toBeNull()
    })

    test('stays as the first has made it', async () => {
      await makeLayer('key', { 'deps/a': 'first' })
      const { kept } = await makeLayer('key', { 'deps/a': 'second' })
      expect(place.read(`${(kept as Layer).folder}/deps/a`)).toBe('first')
    })

    test('has places for files that tools write into node_modules, and reports those that a step has left there', async () => {
      const files = { 'web/node_modules/a/index.js': '', 'web/node_modules/.cache/kept': 'kept' }
      const { kept } = await makeLayer('key', files, ['web/node_modules'])
      const { scratch, filled, folder } = kept as Layer
      expect(filled).toEqual(['web/node_modules/.cache/kept'])
      expect(scratch).toEqual(['.vite', '.vite-temp', '.vitest-cache'].map((name) => `web/node_modules/${name}`))
      expect(place.read(`${folder}/web/node_modules/.cache/kept`)).toBe('kept')
    })

    test('that was being made when a process ended is removed, and no other', async () => {
      const draft = await artifacts.draftLayer('half')
      place.write(`${draft.upper}/deps/a`, 'a')
      place.write(`${draft.scratch}/b`, 'b')
      draft.log.close()
      await makeLayer('whole', { 'deps/a': 'a' })
      await place.open().removeUnfinished()
      expect([place.read(`${draft.upper}/deps/a`), place.read(`${draft.scratch}/b`)]).toEqual([null, null])
      expect([await artifacts.layer('half'), await artifacts.layer('whole')]).toMatchObject([null, { key: 'whole' }])
    })

    test('is packed the same each time, and is the same on another machine', async () => {
      const { kept } = await makeLayer('key', { 'deps/b': 'b', 'deps/a/c': 'c', 'lib/d': 'd' }, ['deps', 'lib'])
      const bytes = async (layer: Layer, from = artifacts) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of from.packLayer(layer)) chunks.push(chunk)
        return Buffer.concat(chunks)
      }
      const packed = await bytes(kept as Layer)
      const machine = place.elsewhere()
      const unpacked = await machine.unpackLayer(kept as Layer, [packed] as never, signal)
      expect(unpacked).toEqual({ ...(kept as Layer), folder: unpacked.folder })
      const read = ['deps/b', 'deps/a/c', 'lib/d'].map((path) => place.read(`${unpacked.folder}/${path}`))
      expect(read).toEqual(['b', 'c', 'd'])
      expect(await machine.layer('key')).toEqual(unpacked)
      expect(await bytes(unpacked, machine)).toEqual(packed)
    })

    test('is none when what was given is none, or lacks an output, or nobody wants it any more', async () => {
      const { kept } = await makeLayer('key', { 'deps/a': 'a' })
      const machine = place.elsewhere()
      const wanted = { key: 'key', outputs: ['deps'] }
      const garbage = (async function* () {
        yield Buffer.from('garbage')
      })()
      await expect(machine.unpackLayer(wanted, garbage, signal)).rejects.toThrow(LayerRefused)
      const lacking = machine.unpackLayer({ ...wanted, outputs: ['other'] }, artifacts.packLayer(kept as Layer), signal)
      await expect(lacking).rejects.toThrow(LayerRefused)
      const unwanted = AbortSignal.abort(new Error('enough'))
      await expect(machine.unpackLayer(wanted, artifacts.packLayer(kept as Layer), unwanted)).rejects.toThrow('enough')
      expect(await machine.layer('key')).toBeNull()
    })
  })

  describe('the caches', () => {
    const mebibyte = 1_048_576
    const large = 'x'.repeat(mebibyte)

    async function keepLayer(key: string): Promise<void> {
      const draft = await artifacts.draftLayer(key)
      draft.log.close()
      place.write(`${draft.upper}/deps/data`, large)
      await draft.keep(['deps'], { isOfStart: false })
    }

    /** Makes sure that the next use gets another time. */
    function untilNextMillisecond(): void {
      const now = Date.now()
      while (Date.now() <= now + 4);
    }

    const left = async (...keys: readonly string[]) => {
      const found = await Promise.all(keys.map((key) => artifacts.layer(key)))
      return keys.filter((_key, at) => found[at] !== null)
    }

    test('lose the least recently used entries when they are too large, but never one in use', async () => {
      for (const key of ['kept', 'asked', 'old', 'new']) {
        await keepLayer(key)
        untilNextMillisecond()
      }
      await artifacts.layer('asked')
      const keep = new Set(['kept'])
      expect(await artifacts.trimCache({ maxBytes: 5 * mebibyte, keep, unusedSince: later })).toBe(0)
      const freed = await artifacts.trimCache({ maxBytes: 2.5 * mebibyte, keep, unusedSince: later })
      expect(freed).toBeGreaterThanOrEqual(2 * mebibyte)
      expect(await left('kept', 'asked', 'old', 'new')).toEqual(['kept', 'asked'])
    })

    test('keep what was used since the work began, however large they are', async () => {
      await keepLayer('used')
      const options = { maxBytes: 0, keep: new Set<string>(), unusedSince: new Date(Date.now() - 3_600_000) }
      expect(await artifacts.trimCache(options)).toBe(0)
      expect(await left('used')).toEqual(['used'])
    })

    test('are trimmed of all kinds, and may be empty', async () => {
      const options = { maxBytes: 0, keep: new Set<string>(), unusedSince: later }
      expect(await artifacts.trimCache(options)).toBe(0)
      await artifacts.keepTestList('a', large, { forGood: true })
      const folder = await artifacts.openRun(id, { ofBase: true })
      place.write(`${folder.path}/cache/tool`, large)
      await folder.finish(manifestOf('PASS'))
      expect(await artifacts.trimCache(options)).toBeGreaterThanOrEqual(2 * mebibyte)
      expect(await artifacts.testList('a')).toBeNull()
    })
  })
})
