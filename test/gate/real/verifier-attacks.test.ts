import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import { makeVerifierWorld, processesWith, until, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld
let hostFile: string
beforeAll(async () => {
  world = await makeVerifierWorld()
  hostFile = join(world.top, 'host-file')
  writeFileSync(hostFile, 'the host’s', { mode: 0o640 })
})
afterAll(() => {
  // No effect of a step has reached the host.
  expect(readFileSync(hostFile, 'utf8')).toBe('the host’s')
  expect(statSync(hostFile).mode & 0o777).toBe(0o640)
  world.close()
})

const logOf = ({ run_id }: { readonly run_id: string }) => world.read(run_id, 'logs/combined.log')

describe('a step that writes', () => {
  test('into the repository, beside the folders of ARTIFACT_DIR or into the system fails at once', async () => {
    const places = [
      'new.txt',
      'value.txt',
      '.git/HEAD',
      '"$ARTIFACT_DIR/new.txt"',
      '"$ARTIFACT_DIR/manifest.json"',
      '/usr/new.txt',
    ]
    const answer = await world.ask(
      `${places.map((path) => `(echo x > ${path}) && echo ${path} went on`).join('; ')}; exit 1`,
    )
    expect(answer.status).toBe('FAIL')
    expect(answer.tail_log?.split('\n').slice(0, places.length)).toEqual(
      places.map(() => expect.stringMatching(/Read-only file system$/)),
    )
  })

  test('into a run that has ended or into a sibling’s finds neither', async () => {
    const ended = await world.ask('true')
    const before = world.read(ended.run_id, 'manifest.json')
    const answer = await world.ask(`ls "${world.folder(ended.run_id)}"; ls "${world.workspace}"; echo looked`)
    expect(answer.tail_log).toMatch(/No such file[^\n]*\n[^\n]*No such file[^\n]*\nlooked$/)
    expect(world.read(ended.run_id, 'manifest.json')).toBe(before)
  })

  test('more than its temporary folder holds fails by itself', async () => {
    const answer = await world.ask(`fallocate -l ${limits.sandbox.tmpfsBytes + 4096} /tmp/large`)
    expect(answer).toMatchObject({ status: 'FAIL', tail_log: expect.stringContaining('No space left on device') })
  })

  test('a file that is larger than allowed fails by itself', async () => {
    const answer = await world.ask(`truncate -s ${limits.sandbox.fileBytes + 1} "$ARTIFACT_DIR/build/large"`)
    expect(answer.status).toBe('FAIL')
  })
})

test('a step cannot reach the network, not even a server on this machine', async () => {
  let reached = 0
  const server = createServer((socket) => {
    reached += 1
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const command = `bash -c 'echo hello > /dev/tcp/127.0.0.1/${port}' && echo reached; cat /proc/net/route | wc -l; ls /sys/class/net 2>&1`
  const answer = await world.ask(`${command}; exit 1`)
  expect(answer).toMatchObject({ status: 'FAIL', tail_log: expect.stringMatching(/Connection refused\n1\n/) })
  expect(reached).toBe(0)
})

describe('a step that starts processes', () => {
  const runaways = [
    // These ignore every possible signal.
    `trap '' TERM INT HUP QUIT; sleep 86421 & sleep 86421 &`,
    // These start their own session.
    `setsid sleep 86421 & setsid -f sleep 86421;`,
    // These fork twice.
    `perl -e 'exit if fork; require POSIX; POSIX::setsid(); exit if fork; exec "sleep 86421"';`,
    // These keep the output open.
    `(sleep 86421; echo late) &`,
  ]
  const all = runaways.join(' ')

  test('leaves none when it has ended, whatever they do', async () => {
    const answer = await world.ask(`echo started; ${all} exit 0`)
    expect(processesWith('sleep 86421')).toBe(0)
    expect([answer.status, logOf(answer)]).toEqual(['PASS', expect.stringMatching(/^started\n/)])
    expect(answer.tail_log).not.toContain('late')
  })

  test('leaves none when its time is over, whatever they do', async () => {
    const answer = await world.ask({ steps: [{ command: `${all} while :; do sleep 86421; done`, timeoutSec: 2 }] })
    expect(processesWith('sleep 86421')).toBe(0)
    expect(answer).toMatchObject({
      status: 'FAIL',
      manifest: { commands_executed: [{ exit_code: null, timed_out: true }] },
    })
  })

  test('does not get a verdict from what it left behind', async () => {
    const answer = await world.ask('(sleep 0.2; kill -9 $PPID; kill -9 1; kill -9 -1) & sleep 0.4; exit 3')
    expect(answer.status).toBe('FAIL')
  })
})

test('a step that is out of time is a FAIL that says so, not before its time, and ends the run', async () => {
  const answer = await world.ask({
    steps: [
      { name: 'slow', command: 'echo before; sleep 86431', timeoutSec: 3 },
      { name: 'next', command: 'true' },
    ],
  })
  expect(answer).toMatchObject({
    status: 'FAIL',
    tail_log: 'before\n\n[drydock] slow timed out after 3 s and was killed',
    manifest: { status: 'FAIL', commands_executed: [{ name: 'slow', exit_code: null, timed_out: true }] },
  })
  expect(answer.manifest?.commands_executed).toHaveLength(1)
  const took = answer.manifest?.commands_executed[0]?.duration_ms ?? 0
  expect(took).toBeGreaterThanOrEqual(3_000)
  expect(world.read(answer.run_id, 'logs/step-01-slow.log')).toContain('timed out after 3 s')
})

describe('a step that prints', () => {
  test('more than a log holds takes bounded memory, has logs that are cut and the true end as its tail', async () => {
    const before = process.memoryUsage.rss()
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 10)
    const command = `head -c ${2 * limits.logBytes} /dev/zero; echo; seq 300; exit 1`
    const answer = await world.ask({ steps: [{ command, timeoutSec: 60 }] })
    clearInterval(timer)
    expect(most - before).toBeLessThan(150 * 1024 ** 2)
    expect(answer.tail_log?.split('\n')).toEqual(Array.from({ length: 200 }, (_, i) => `${i + 101}`))
    for (const log of ['combined', 'step-01-test']) {
      const size = statSync(join(world.folder(answer.run_id), `logs/${log}.log`)).size
      expect(size).toBeGreaterThan(limits.logBytes)
      expect(size).toBeLessThan(limits.logBytes + 100)
    }
    expect(logOf(answer).slice(-60)).toContain(`[drydock] the log is cut at ${limits.logBytes} bytes`)
  })

  test('exactly what a log holds has one that is not said to be cut', async () => {
    const answer = await world.ask(`head -c ${limits.logBytes} /dev/zero`)
    expect(statSync(join(world.folder(answer.run_id), 'logs/combined.log')).size).toBe(limits.logBytes)
  })

  test('invalid text, colours and one endless line has a readable tail and a log of exactly its bytes', async () => {
    const answer = await world.ask(
      String.raw`printf '\033[31mred\033[0m \377\376 \033\033[1m[2J\r\n'; printf 'é%.0s' $(seq 200000); printf ' end'`,
    )
    const log = readFileSync(join(world.folder(answer.run_id), 'logs/combined.log'))
    expect(log.subarray(0, 15)).toEqual(Buffer.from('\x1b[31mred\x1b[0m \xff\xfe', 'latin1').subarray(0, 15))
    expect(answer.tail_log).toMatch(/^…é+ end$/)
    const short = await world.ask(String.raw`printf '\033[31mred\033[0m \377\376 \033\033[1m[2J\r\n'; echo 'end'`)
    expect(short.tail_log).toBe('red \ufffd\ufffd [2J\nend')
  })
})

describe('a step that tampers with its artifacts', () => {
  test('by links in the place of logs and manifest touches no file of the host, and its logs are true', async () => {
    const plant = ['combined.log', 'step-01-test.log', 'junit.xml'].map(
      (name) => `ln -sf '${hostFile}' "$ARTIFACT_DIR/logs/${name}"`,
    )
    const answer = await world.ask({
      steps: [
        {
          junit: 'logs/junit.xml',
          command: `echo honest; ${plant.join('; ')}; ln -s '${hostFile}' "$ARTIFACT_DIR/build/link"; ln -s '${world.top}' "$ARTIFACT_DIR/build/folder"
            ln -sf '${hostFile}' "$ARTIFACT_DIR/manifest.json" || mv "$ARTIFACT_DIR/logs" "$ARTIFACT_DIR/old" || rmdir "$ARTIFACT_DIR/cache" || exit 1`,
        },
      ],
    })
    expect(answer.status).toBe('FAIL')
    expect(answer.artifact_paths).toEqual(['logs/combined.log', 'logs/step-01-test.log', 'manifest.json'])
    for (const path of answer.artifact_paths ?? []) {
      expect(lstatSync(join(world.folder(answer.run_id), path)).isFile()).toBe(true)
    }
    expect(logOf(answer)).toMatch(/^honest\n/)
    expect(world.read(answer.run_id, 'logs/step-01-test.log')).toMatch(/^honest\n/)
    expect(JSON.parse(world.read(answer.run_id, 'manifest.json'))).toEqual(answer.manifest)
  })

  test('by a folder in the place of each log, and all of it closed, still leaves true logs', async () => {
    const answer = await world.ask({
      steps: [
        {
          command: `echo honest; cd "$ARTIFACT_DIR/logs"; rm -rf *; mkdir -p combined.log/a/b step-01-test.log/c; echo forged > combined.log/a/b/x; cd /; chmod 000 "$ARTIFACT_DIR/build"; find "$ARTIFACT_DIR/logs" -depth -exec chmod 000 {} +`,
        },
        { name: 'next', command: 'echo next' },
      ],
    })
    expect(answer).toMatchObject({ status: 'PASS', tail_log: 'honest\nnext' })
    expect(logOf(answer)).toBe('honest\nnext\n')
    expect(world.read(answer.run_id, 'logs/step-01-test.log')).toBe('honest\n')
  })

  test('by files without end still has its logs and manifest listed', async () => {
    const answer = await world.ask('cd "$ARTIFACT_DIR/build"; seq 700 | xargs touch; cd ../logs; seq 700 | xargs touch')
    expect(answer.artifact_paths).toHaveLength(1_000)
    for (const path of ['manifest.json', 'logs/combined.log', 'logs/step-01-test.log']) {
      expect(answer.artifact_paths).toContain(path)
    }
  })

  test('by folders that nobody may enter, or deeper than a path can be, does not stop the next verification under that id', async () => {
    const runId = world.newRunId()
    const name = 'd'.repeat(200)
    const command = `cd "$ARTIFACT_DIR/build"; mkdir closed; touch closed/x; chmod 000 closed
      perl -e 'for (1..60) { mkdir "${name}"; chdir "${name}" or die $!; } open F, ">", "deep" or die $!'
      touch "$(printf 'not-\\377-text')"; ln -s '${world.top}' out; echo done`
    expect(await world.ask({ runId, steps: [{ command }] })).toMatchObject({ status: 'PASS', tail_log: 'done' })
    const again = await world.ask({ runId, steps: [{ command: 'find "$ARTIFACT_DIR/build" -mindepth 1' }] })
    expect(again).toMatchObject({ status: 'PASS', tail_log: '' })
    expect(statSync(world.top).isDirectory()).toBe(true)
  })

  test('while it runs cannot read or write the logs that are kept of it', async () => {
    const answer = await world.ask(
      "echo one; find / -path /proc -prune -o -path /usr -prune -o -name 'combined.log*' -print -o -name 'step-*.log' -print",
    )
    expect([logOf(answer), answer.status]).toEqual(['one\n', 'PASS'])
  })
})

test('a link that was planted where a run folder will be is replaced and not followed', async () => {
  const runId = world.newRunId()
  const elsewhere = join(world.top, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'kept'), 'kept')
  symlinkSync(elsewhere, world.folder(runId))
  expect(await world.ask({ runId, steps: [{ command: 'true' }] })).toMatchObject({ status: 'PASS' })
  expect(readFileSync(join(elsewhere, 'kept'), 'utf8')).toBe('kept')
  expect(lstatSync(world.folder(runId)).isDirectory()).toBe(true)
})

test('no process of any of these is left', async () => {
  await until(() => processesWith('sleep 864') === 0)
})
