import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HostClock, hostClock } from './clock.ts'
import { type HostNetwork, plugIn } from './network.ts'
import { processesBelow, signalAll } from './processes-below.ts'
import { type Supervisor, supervise } from './supervised.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

const diskMiB = 160

/**
 * A machine with a worker: its network, its disk, its clock, and a supervisor that restarts the
 * worker.
 */
export interface Host {
  readonly name: string
  readonly network: HostNetwork
  readonly clock: HostClock
  readonly worker: Supervisor
  /** Folder that serves as the machine's disk. */
  readonly disk: string
  /** Kills all of its programs at once and removes its disk. The machine stays down. */
  burn(): void
  pause(): void
  goOn(): void
  fill(): void
  makeSpace(): void
  /** Lets the worker start again; a burnt machine comes back with an empty disk. */
  letStart(): void
  end(): Promise<void>
}

export interface HostPlace {
  readonly folder: string
  readonly hub: string
  /** Environment of its worker, in addition to the machine's own. */
  readonly env: Readonly<Record<string, string>>
}

export function createHost(name: string, number: number, { folder, hub, env }: HostPlace): Host {
  const disk = join(folder, `disk-${name}`)
  const filling = join(disk, 'filling')
  const network = plugIn(name, number)
  const clock = hostClock(join(folder, `clock-${name}`))
  const mount = () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'none', disk])
    for (const own of ['home', 'tmp', 'state']) mkdirSync(join(disk, own))
  }
  mkdirSync(disk)
  mount()
  const own = {
    HOME: join(disk, 'home'),
    TMPDIR: join(disk, 'tmp'),
    DRYDOCK_HOME: join(disk, 'state'),
    DRYDOCK_MODEL_TRIAL: 'off',
  }
  const command = [bin, 'worker', '--hub', hub, '--name', name, '--coders', '1', '--json']
  const worker = supervise(() =>
    spawn('nsenter', [`--net=${network.namespace}`, ...command], {
      cwd: folder,
      env: { ...env, ...clock.env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let [paused, isBurnt]: [readonly number[], boolean] = [[], false]
  const all = () => {
    const pid = worker.pid()
    return pid === null ? [] : processesBelow(pid)
  }
  return {
    name,
    network,
    clock,
    worker,
    disk,
    burn() {
      worker.keepDown()
      // A stopped process can start nothing while it is killed.
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) signalAll(all(), signal)
      execFileSync('umount', ['--lazy', disk])
      isBurnt = true
    },
    pause() {
      signalAll(all(), 'SIGSTOP')
      paused = all()
      signalAll(paused, 'SIGSTOP')
    },
    goOn: () => signalAll(paused, 'SIGCONT'),
    fill() {
      const { bavail, bsize } = statfsSync(disk)
      try {
        writeFileSync(filling, Buffer.alloc(bavail * bsize))
      } catch (error) {
        // The worker may have filled the rest of the disk in the meantime.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    makeSpace: () => rmSync(filling, { force: true }),
    letStart() {
      if (isBurnt) mount()
      isBurnt = false
      worker.letStart()
    },
    async end() {
      signalAll(all(), 'SIGCONT')
      await worker.end('SIGKILL')
    },
  }
}
