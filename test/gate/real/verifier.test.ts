import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import { verificationId } from '../../../src/domain/verification/verification.ts'
import { logWithEnd, whyFailed } from '../../../src/domain/verification/why-failed.ts'
import { stepEnvironment } from '../../../src/gate/step-environment.ts'
import { listing } from '../../adapters/git/git-world.ts'
import { makeVerifierWorld, processesWith, until, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'value.txt': 'old\n',
    'src/a.txt': 'a\n',
    '.gitignore': 'node_modules/\n*.ignored\n',
  })
})
afterAll(() => world.close())

describe('a verification', () => {
  test('answers with its verdict, and leaves manifest, logs and build output, and nothing else', async () => {
    const runId = world.newRunId()
    const answer = await world.ask({
      runId,
      steps: [
        { name: 'build', command: 'echo built; echo made > "$ARTIFACT_DIR/build/out.bin"' },
        { name: 'unit.test', command: 'echo tested >&2; exit 7', timeoutSec: 9 },
      ],
    })
    const manifest = {
      run_id: runId,
      timestamp_start: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      timestamp_end: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      commit_sha: world.tip,
      tree_sha: world.git('rev-parse', 'HEAD^{tree}'),
      base_sha: world.tip,
      status: 'FAIL',
      commands_executed: [
        {
          name: 'build',
          command: 'echo built; echo made > "$ARTIFACT_DIR/build/out.bin"',
          exit_code: 0,
          duration_ms: expect.any(Number),
          timed_out: false,
        },
        {
          name: 'unit.test',
          command: 'echo tested >&2; exit 7',
          exit_code: 7,
          duration_ms: expect.any(Number),
          timed_out: false,
        },
      ],
      platform: { os: platform(), arch: arch(), sandbox: 'bubblewrap' },
      limits: { ...limits.sandbox, network: 'none', writes: 'deny', step_timeouts_sec: [120, 9] },
      outcome: { code: 'FAIL', sentence: 'The verification failed.', tone: 'bad' },
    }
    const files = {
      'build/out.bin': 'made\n',
      'logs/combined.log': 'built\ntested\n',
      'logs/step-01-build.log': 'built\n',
      'logs/step-02-unit.test.log': 'tested\n',
    }
    expect(answer).toStrictEqual({
      status: 'FAIL',
      run_id: runId,
      tail_log: 'built\ntested',
      artifact_paths: [...Object.keys(files), 'manifest.json'],
      manifest,
    })
    expect(JSON.parse(world.read(runId, 'manifest.json'))).toStrictEqual(answer.manifest)
    for (const [path, content] of Object.entries(files)) expect(world.read(runId, path)).toBe(content)
    expect(readdirSync(world.folder(runId)).sort()).toEqual(['build', 'cache', 'logs', 'manifest.json', 'tmp'])
    expect(readdirSync(join(world.artifacts, 'runs')).filter((name) => name.startsWith('.'))).toEqual([])
    const { timestamp_start: start = '', timestamp_end: end = '' } = answer.manifest ?? {}
    expect(Date.parse(end)).toBeGreaterThan(Date.parse(start))
  })

  test('passes when every step ends with 0', async () => {
    const answer = await world.ask({ steps: [{ command: 'true' }, { name: 'more', command: 'grep -q old value.txt' }] })
    expect(answer).toMatchObject({ status: 'PASS', tail_log: '' })
    expect(answer.manifest?.commands_executed.map(({ exit_code }) => exit_code)).toEqual([0, 0])
    expect(answer).not.toHaveProperty('error_type')
  })

  test('runs its steps in order and stops at the first that fails', async () => {
    const steps = ['echo one', 'echo two; false', 'echo three'].map((command, i) => ({ name: `s${i}`, command }))
    const answer = await world.ask({ steps })
    expect(answer).toMatchObject({ status: 'FAIL', tail_log: 'one\ntwo' })
    expect(answer.manifest?.commands_executed.map(({ name }) => name)).toEqual(['s0', 's1'])
    expect(answer.artifact_paths).toEqual([
      'logs/combined.log',
      'logs/step-01-s0.log',
      'logs/step-02-s1.log',
      'manifest.json',
    ])
  })

  test('fails by a signal, by a program that is missing and by a last command in a pipe', async () => {
    for (const command of ['kill -KILL $$', 'no-such-program', 'true | false']) {
      expect(await world.ask(command)).toMatchObject({ status: 'FAIL' })
    }
  })

  test('shows the last 200 lines of both outputs together, in order of arrival', async () => {
    const answer = await world.ask('for i in $(seq 150); do echo out $i; echo err $i >&2; done; exit 1')
    const lines = Array.from({ length: 150 }, (_, i) => [`out ${i + 1}`, `err ${i + 1}`]).flat()
    expect(answer.tail_log?.split('\n')).toEqual(lines.slice(-200))
    expect(world.read(answer.run_id, 'logs/combined.log')).toBe(`${lines.join('\n')}\n`)
  })

  test('has its own run id, well-formed for any time and random numbers', () => {
    expect(verificationId(new Date('2026-11-03T10:00:09.999Z'), 0.5)).toBe('run_20261103_100009_i00000')
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-01'), max: new Date('2999-12-31'), noInvalidDate: true }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (at, random) => /^run_\d{8}_\d{6}_[0-9a-z]{6}$/.test(verificationId(at, random)),
      ),
    )
    expect(new Set(Array.from({ length: 500 }, () => world.newRunId())).size).toBe(500)
  })
})

describe('what is verified', () => {
  const showTree = `find . -path ./.git -prune -o -type f -print | sort; cat value.txt`

  test('is the exact commit, whatever came before and after it', async () => {
    writeFileSync(join(world.repository, 'value.txt'), 'second\n')
    const second = world.commitAll()
    writeFileSync(join(world.repository, 'value.txt'), 'third\n')
    writeFileSync(join(world.repository, 'third.txt'), 'third\n')
    const third = world.commitAll()
    await world.userRepository.updateMirror(world.signal)
    for (const [commit, value] of [
      [third, 'third'],
      [second, 'second'],
      [world.tip, 'old'],
    ] as const) {
      const answer = await world.ask({ commit, steps: [{ command: `${showTree}; git rev-parse HEAD` }] })
      const files = ['./.gitignore', './src/a.txt', ...(value === 'third' ? ['./third.txt'] : []), './value.txt']
      expect(answer.tail_log?.split('\n')).toEqual([...files, value, commit])
      expect(answer.manifest?.commit_sha).toBe(commit)
      expect(answer.manifest?.tree_sha).toBe(world.git('rev-parse', `${commit}^{tree}`))
    }
  })

  test('never has what somebody planted in the checkout, be it ignored or made to look unchanged', async () => {
    const clean = await world.ask(showTree)
    const checkout = join(world.state, 'checkouts', 'coder-001')
    mkdirSync(join(checkout, 'node_modules/dependency'), { recursive: true })
    writeFileSync(join(checkout, 'node_modules/dependency/index.js'), 'planted')
    writeFileSync(join(checkout, 'a.ignored'), 'planted')
    writeFileSync(join(checkout, 'src/untracked.txt'), 'planted')
    writeFileSync(join(checkout, 'value.txt'), 'new\n')
    expect((await world.ask(showTree)).tail_log).toBe(clean.tail_log)
    expect(Object.keys(listing(checkout)).sort()).toEqual(['.gitignore', 'src/', 'src/a.txt', 'value.txt'])
  })

  test('never has what the workspace has and git ignores', async () => {
    mkdirSync(join(world.workspace, 'node_modules/dependency'), { recursive: true })
    writeFileSync(join(world.workspace, 'node_modules/dependency/index.js'), 'planted')
    writeFileSync(join(world.workspace, 'b.ignored'), 'planted')
    writeFileSync(join(world.workspace, 'kept.txt'), 'part of the change')
    const taken = await world.snapshot('refs/drydock/story/planted')
    if (!taken.ok) throw new Error(taken.reason)
    const answer = await world.ask({ commit: taken.snapshot.sha, steps: [{ command: showTree }] })
    expect(answer.tail_log?.split('\n')).toEqual(['./.gitignore', './kept.txt', './src/a.txt', './value.txt', 'old'])
    expect(answer.manifest?.tree_sha).toBe(taken.snapshot.tree)
  })
})

test('a step that fails without a word is said to', async () => {
  const silent = await world.ask({
    steps: [
      { name: 'first', command: 'echo a' },
      { name: 'look', command: 'exit 3' },
    ],
  })
  expect(silent.tail_log).toBe('a\n\n[drydock] look ended with exit code 3, and printed nothing')
  expect(whyFailed(silent)).toBe('look ended with exit code 3, and printed nothing')
  const told = await world.ask('echo why; exit 3')
  expect([told.tail_log, logWithEnd(told)]).toEqual(['why', 'why\n[drydock] test ended with exit code 3'])
  expect(logWithEnd(silent)).toBe(silent.tail_log)
})

describe('the environment of a step', () => {
  test('is for tests, has its folders in ARTIFACT_DIR and nothing of the host', async () => {
    process.env.DRYDOCK_CANARY_KEY = 'canary-4711'
    onTestFinished(() => {
      delete process.env.DRYDOCK_CANARY_KEY
    })
    const answer = await world.ask('env -0 | tr "\\0" "\\n"; cat /proc/1/environ /proc/self/environ /proc/1/cmdline')
    const output = world.read(answer.run_id, 'logs/combined.log')
    const seen = Object.fromEntries(
      (output.split('\0')[0] ?? '')
        .split('\n')
        .filter((line) => line.includes('='))
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    )
    expect(seen).toMatchObject({
      CI: '1',
      ARTIFACT_DIR: '/artifacts',
      TMPDIR: '/artifacts/tmp',
      XDG_CACHE_HOME: '/artifacts/cache',
      HOME: '/home/agent',
      UPDATE_SNAPSHOTS: '0',
      npm_config_offline: 'true',
    })
    expect(Object.keys(seen)).not.toContain('NO_COLOR')
    const known = [...Object.keys(stepEnvironment), 'PATH', 'HOME', 'LANG', 'PWD', 'OLDPWD', 'SHLVL', '_']
    for (const name of Object.keys(seen)) expect(known).toContain(name)
    expect(output).not.toContain('canary-4711')
  })

  test('has a TMPDIR that is short enough for a socket, and is the tmp of ARTIFACT_DIR', async () => {
    const script = `const path = require('path').join(require('os').tmpdir(), 'some-test-server.sock'); require('net').createServer().listen(path, () => { require('fs').writeFileSync(process.env.ARTIFACT_DIR + '/logs/there', require('fs').readdirSync(process.env.ARTIFACT_DIR + '/tmp').join()); process.exit(0) })`
    const artifacts = join(world.artifacts, 'l'.repeat(100))
    const answer = await world.ask({
      steps: [{ command: `node -e "${script}" && cat "$ARTIFACT_DIR/logs/there"` }],
      artifacts,
    })
    expect([answer.status, answer.tail_log]).toEqual(['PASS', 'some-test-server.sock'])
  })

  test('lets programs colour what they print, which is shown without', async () => {
    const answer = await world.ask(
      `node -e "console.log(require('util').styleText('red', 'red', { validateStream: false }))"; printf '\\033[31mtoo\\033[0m'`,
    )
    expect(answer.tail_log).toBe('red\ntoo')
    expect(world.read(answer.run_id, 'logs/combined.log')).toContain('\u001b[31m')
  })

  test('lets programs that split options as a shell does find the cache', async () => {
    const answer = await world.ask(`eval "set -- $PYTEST_ADDOPTS"; echo "$#"; echo "$2"`)
    expect(answer.tail_log).toBe('3\ncache_dir=/artifacts/cache/pytest')
  })

  test('can be written to only in the four folders of ARTIFACT_DIR and in fresh bounded ones', async () => {
    const prune = ['/proc', '/dev/pts', '/usr/*'].map((path) => `-path '${path}' -prune -o`).join(' ')
    const answer = await world.ask(`find / ${prune} -type d -writable -print 2>/dev/null`)
    const bounded = ['/dev/shm', '/home/agent', '/run', '/tmp']
    const own = ['build', 'cache', 'logs', 'tmp'].map((name) => `/artifacts/${name}`)
    expect(new Set(answer.tail_log?.split('\n'))).toEqual(new Set([...bounded, ...own]))
  })

  test('starts with an empty ARTIFACT_DIR, which later steps share, and ends without its cache and temporary files', async () => {
    const answer = await world.ask({
      steps: [
        { name: 'look', command: 'find "$ARTIFACT_DIR" -mindepth 2; mktemp' },
        { name: 'make', command: 'echo 1 > "$ARTIFACT_DIR/cache/made"; echo 2 > "$ARTIFACT_DIR/build/made"' },
        { name: 'use', command: 'cat "$ARTIFACT_DIR"/*/made' },
      ],
    })
    const folder = world.folder(answer.run_id)
    expect(answer).toMatchObject({
      status: 'PASS',
      tail_log: expect.stringMatching(/^\/artifacts\/tmp\/tmp\.\w+\n2\n1$/),
    })
    expect(readFileSync(join(folder, 'build/made'), 'utf8')).toBe('2\n')
    expect(readdirSync(join(folder, 'cache'))).toEqual([])
    expect(readdirSync(join(folder, 'tmp'))).toEqual([])
  })
})

describe('an interrupted verification', () => {
  test('throws the reason, leaves no process, and can be done again under its run id', async () => {
    const runId = world.newRunId()
    const controller = new AbortController()
    const reason = new Error('enough')
    const command = `echo first > "$ARTIFACT_DIR/build/first"; trap "" TERM INT HUP; setsid sleep 86411 & sleep 86411`
    const running = world.ask({ runId, signal: controller.signal, steps: [{ command }] })
    await until(() => existsSync(join(world.folder(runId), 'build/first')) && processesWith('sleep 86411') > 1)
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(processesWith('sleep 86411')).toBe(0)
    expect(existsSync(join(world.folder(runId), 'manifest.json'))).toBe(false)

    const again = await world.ask({ runId, steps: [{ command: 'echo again; ls "$ARTIFACT_DIR/build"' }] })
    expect(again).toMatchObject({ status: 'PASS', run_id: runId, tail_log: 'again' })
    expect(world.read(runId, 'logs/combined.log')).toBe('again\n')
  })

  test('that was over before it began touches nothing', async () => {
    const runId = world.newRunId()
    const reason = new Error('enough')
    const asked = { runId, signal: AbortSignal.abort(reason), steps: [{ command: 'true' }] }
    await expect(world.ask(asked)).rejects.toBe(reason)
    expect(existsSync(world.folder(runId))).toBe(false)
  })
})

test('two verifications at once, each in its checkout, do not disturb each other', async () => {
  writeFileSync(join(world.repository, 'value.txt'), 'other\n')
  const other = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  // Each verification waits until the other verification is running, too.
  const command = `touch "$ARTIFACT_DIR/build/$(cat value.txt)"; sleep 0.5; cat value.txt; ls "$ARTIFACT_DIR/build"`
  const answers = await Promise.all([
    world.ask({ checkout: 'coder-001', steps: [{ command }] }),
    world.ask({ checkout: 'coder-002', commit: other, steps: [{ command }] }),
  ])
  expect(answers.map(({ status, tail_log }) => ({ status, tail_log }))).toEqual([
    { status: 'PASS', tail_log: 'old\nold' },
    { status: 'PASS', tail_log: 'other\nother' },
  ])
  const [first, second] = answers.map(({ manifest }) => manifest)
  expect(Date.parse(second?.timestamp_start ?? '')).toBeLessThan(Date.parse(first?.timestamp_end ?? ''))
})
