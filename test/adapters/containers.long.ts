import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type ContainerOptions,
  createContainerSandbox,
} from '../../src/adapters/sandbox/container/container-sandbox.ts'
import { ownerName } from '../../src/adapters/sandbox/container/owner.ts'
import { readPackageManagerVariables } from '../../src/config/environment.ts'
import type { SandboxSpec } from '../../src/ports/sandbox.ts'
import { importImage, podman, podmanOptions } from '../contracts/sandboxes.ts'

const source = join(import.meta.dirname, '../../src/adapters/sandbox/container/container-sandbox.ts')
const never = new AbortController().signal
const mebibyte = 1_048_576

let folder = ''
/** Seconds to sleep, unique to this test. */
let marker = ''

beforeEach(() => {
  importImage()
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-containers-')))
  marker = `${process.pid}${process.hrtime.bigint()}`
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function spec(change: Partial<SandboxSpec> = {}): SandboxSpec {
  const limits = { memoryBytes: 256 * mebibyte, fileBytes: 8 * mebibyte, openFiles: 256, tmpfsBytes: 4 * mebibyte }
  return { mounts: [{ path: folder, access: 'write' }], cwd: folder, env: {}, limits, ...change }
}

function create(change: Partial<ContainerOptions> = {}) {
  return createContainerSandbox({ ...podmanOptions, ...change })
}

async function exec(command: string, { change = {}, sandbox = create() } = {}) {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const done = await sandbox.exec(spec(change), { command, timeoutMs: 60_000, onOutput }, never)
  return done.ok ? { exitCode: done.value.exitCode, output } : done.error
}

/** Command lines on this machine with the marker. */
function listed(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(marker))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    // The process ended while /proc was read.
    return ''
  }
}

/** A separate process with `sandbox` and `spec`. */
function startOwner(script: string) {
  const head = `
    import { createContainerSandbox } from ${JSON.stringify(source)}
    const sandbox = createContainerSandbox(${JSON.stringify(podmanOptions)})
    const spec = ${JSON.stringify(spec())}
    const never = new AbortController().signal
    const say = (text: string) => process.stdout.write(text + '\\n')
  `
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', head + script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, lines: createInterface({ input: child.stdout }) }
}

const containers = () => podman('ps', '--all', '--format', '{{.Names}}').split('\n')
/** Ids of the containers that this process has made. */
const ours = () => podman('ps', '--all', '--quiet', '--filter', `label=drydock.owner=${ownerName()}`)

describe('the process that made a container', () => {
  test('takes it along when it is killed, whether a command or a session runs in it', async () => {
    const { child, lines } = startOwner(`
      const command = 'trap "" TERM HUP; echo up; kill -STOP $PPID; sleep ${marker}'
      const onOutput = () => say('up')
      void sandbox.exec(spec, { command, timeoutMs: 60000, onOutput }, never)
      const opened = await sandbox.open(spec, never)
      if (!opened.ok) throw new Error(opened.error.errorMessage)
      void opened.value.request({ op: 'run', command, timeoutMs: 60000, maxBytes: 100 }, never)
    `)
    await once(lines, 'line')
    const sleeping = () => listed().filter((line) => line.startsWith('sleep')).length
    await expect.poll(sleeping, { interval: 20 }).toBe(2)
    child.kill('SIGKILL')
    await expect.poll(listed, { interval: 20 }).toEqual([])
  })

  test('is followed by one that removes what is left of it, and of nobody else', async () => {
    const dead = await ownerOfDead()
    const run = (name: string, owner: string) =>
      podman(
        'run',
        '--detach',
        '--name',
        name,
        '--label',
        `drydock.owner=${owner}`,
        '--network',
        'none',
        '--ulimit',
        'nofile=64:64',
        '--ulimit',
        'nproc=64:64',
        '--volume',
        '/usr:/usr:ro',
        'drydock-test',
        'sleep',
        marker,
      )
    const [left, other] = [`drydock-0${marker}`, `drydock-1${marker}`]
    mkdirSync(join(tmpdir(), left))
    run(left, dead)
    run(other, dead.replace(/^[^/]*/, 'another-machine'))
    onTestFinished(() => void podman('rm', '--force', '--time', '0', other))
    expect(await exec('echo hi')).toEqual({ exitCode: 0, output: 'hi\n' })
    expect(containers()).toContain(other)
    expect(containers()).not.toContain(left)
    expect(existsSync(join(tmpdir(), left))).toBe(false)
  })

  /** The label of containers whose process has ended. */
  async function ownerOfDead(): Promise<string> {
    const { child, lines } = startOwner(`
      import { ownerName } from ${JSON.stringify(join(source, '../owner.ts'))}
      say(ownerName())
    `)
    const [[line]] = await Promise.all([once(lines, 'line'), once(child, 'exit')])
    return String(line)
  }

  test('tells neither the command nor its environment to who lists processes', async () => {
    const before = 'until [ -e go ]; do sleep 0.01; done'
    const running = exec(`${before}; echo ${marker}`, { change: { env: { TOKEN: marker } } })
    const seen = await Promise.all([running, whenRunning()])
    expect(seen).toEqual([{ exitCode: 0, output: `${marker}\n` }, []])
  })

  /** The command lines on the host while a container runs; then lets its command continue. */
  async function whenRunning(): Promise<readonly string[]> {
    await expect.poll(ours, { interval: 50 }).not.toBe('')
    const outside = listed().filter((line) => !line.startsWith('/bin/sh -c until'))
    writeFileSync(join(folder, 'go'), '')
    return outside
  }

  test('leaves nothing on the machine when all has ended', async () => {
    await exec(`true ${marker}`)
    expect(ours()).toBe('')
    expect(listed()).toEqual([])
  })
})

describe('an image', () => {
  const failed = (sandbox: ReturnType<typeof create>) => exec('true', { sandbox })
  const refused = (words: string) => ({ errorType: 'image_pull', errorMessage: expect.stringContaining(words) })

  test('must be named, and be there: the line that gets it is told', async () => {
    const { image: _, ...none } = podmanOptions
    expect(await failed(createContainerSandbox(none))).toEqual(refused('Set sandbox.image or sandbox.dockerfile'))
    expect(await failed(create({ image: 'no-such-image' }))).toEqual(refused('podman pull no-such-image'))
  })

  test('is built once from the file that describes it, and its variables are there', async () => {
    const { image: _, ...none } = podmanOptions
    const dockerfile = join(folder, 'Dockerfile')
    writeFileSync(dockerfile, `FROM drydock-test\nENV MADE=${marker}\nVOLUME /usr/share\nENTRYPOINT ["/bin/false"]\n`)
    const built = () => createContainerSandbox({ ...none, dockerfile })
    const sandbox = built()
    expect(await exec('echo $MADE', { sandbox })).toEqual({ exitCode: 0, output: `${marker}\n` })
    const name = `drydock-${createHash('sha256').update(readFileSync(dockerfile)).digest('hex').slice(0, 12)}`
    onTestFinished(() => void podman('rmi', '--force', name))
    expect(await sandbox.image()).toMatchObject({ ok: true, value: { name } })
    const made = podman('image', 'inspect', '--format', '{{.Created}}', name)
    expect(await exec('echo $MADE', { sandbox: built() })).toEqual({ exitCode: 0, output: `${marker}\n` })
    expect(podman('image', 'inspect', '--format', '{{.Created}}', name)).toBe(made)
  })

  test('that cannot be built is told with the end of the log', async () => {
    const { image: _, ...none } = podmanOptions
    const dockerfile = join(folder, 'Dockerfile')
    writeFileSync(dockerfile, 'FROM drydock-test\nCOPY no-such-file /\n')
    expect(await failed(createContainerSandbox({ ...none, dockerfile }))).toEqual(refused('no-such-file'))
    expect(await failed(createContainerSandbox({ ...none, dockerfile: '/no/such/file' }))).toEqual(refused('ENOENT'))
  })

  test('that cannot run the Node of Drydock is told apart by the probe', async () => {
    const bare = create({ readOnlyPaths: ['/usr/bin', '/usr/lib/x86_64-linux-gnu/libc.so.6'] })
    expect(await bare.probe()).toMatchObject({ ok: false })
  })
})

test('mounts below a read-only folder cannot be written either', async () => {
  const mounts = [{ path: '/dev', at: '/mnt', access: 'read' }] as const
  const command = 'touch /mnt/shm/x /mnt/x; ls -d /mnt/shm'
  expect(await exec(command, { change: { mounts, cwd: '/' } })).toEqual({
    exitCode: 0,
    output: expect.stringMatching(/shm\/x.*Read-only file system\n.*Read-only file system\n\/mnt\/shm\n$/),
  })
})

test('a command that the kernel kills because memory ran out is told from one that failed', async () => {
  const limits = { ...spec().limits, memoryBytes: 64 * mebibyte, fileBytes: 512 * mebibyte, tmpfsBytes: 512 * mebibyte }
  expect(await exec('head -c 200m /dev/zero > /tmp/x', { change: { limits } })).toEqual({
    errorType: 'resource_exhaustion',
    errorMessage: expect.stringContaining('memory'),
  })
})

test('a command with named hosts reaches the registry of the machine and nobody else', async () => {
  const packageManagers = { home: process.env.HOME ?? '', env: readPackageManagerVariables(process.env) }
  const limits = { ...spec().limits, memoryBytes: 1024 * mebibyte, tmpfsBytes: 64 * mebibyte }
  const env = {
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  }
  const install = 'npm install --silent --no-audit --no-fund is-number@7.0.0 && ls node_modules'
  const other = 'npm ping --silent --registry https://example.com; echo $?'
  const change = { limits, env, egress: ['registry'] }
  expect(await exec(`${install}; ${other}`, { change, sandbox: create({ packageManagers }) })).toEqual({
    exitCode: 0,
    output: 'is-number\n1\n[drydock] network: example.com:443 is not among the hosts that may be reached\n',
  })
})
