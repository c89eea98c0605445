import { once } from 'node:events'
import { join } from 'node:path'
import { startProgram } from '../../processes/start-program.ts'
import type { Attack } from '../attack.ts'
import { serveOnHost } from '../host-server.ts'
import { lookThroughInherited } from '../inherited-folder.ts'
import { type Place, places, tryInside } from '../inside.ts'
import type { Range } from '../range.ts'
import { machineSecrets, systemCalls } from './system-calls.ts'

type Script = (range: Range) => string | Promise<string>

/** Runs the code in both sandboxes; none of its attempts may succeed. */
const everywhere = (name: string, script: Script): readonly Attack[] =>
  places.map((place) => ({
    row: 'sandbox',
    name: `${place} ${name}`,
    expected: 'nothing',
    async run(range) {
      const observed = await tryInside(range, await script(range), { place })
      const isLacking = observed.split(', ').every((each) => each.startsWith(lacking))
      return isLacking ? { notApplicable: `${observed}; nothing else that was tried worked` } : observed
    },
  }))

const lacking = 'the sandbox has no '

const json = (value: unknown) => JSON.stringify(value)

/** Opening a file for writing proves access without changing anything. */
const switches = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/hostname',
  '/proc/sys/vm/drop_caches',
  '/proc/sysrq-trigger',
  '/proc/sys/kernel/modprobe',
  '/proc/sys/net/ipv4/ip_forward',
  '/sys/kernel/uevent_helper',
  '/proc/kcore',
]

const sockets = [
  '/run/docker.sock',
  '/var/run/docker.sock',
  '/run/podman/podman.sock',
  '/run/containerd/containerd.sock',
  '/run/dbus/system_bus_socket',
  '/var/run/dbus/system_bus_socket',
  '/run/systemd/private',
  '/tmp/.X11-unix/X0',
]

const devices = [
  '/dev/mem',
  '/dev/kmsg',
  '/dev/kvm',
  '/dev/fuse',
  '/dev/sda',
  '/dev/vda',
  '/dev/nvme0n1',
  '/dev/dri/card0',
  '/dev/net/tun',
  '/dev/loop-control',
  '/dev/input/event0',
  '/dev/uinput',
]

/** Reports missing programs: an attack that fails for want of its program proves nothing. */
const needs = (programs: readonly string[]) => `
  for (const program of ${json(programs)})
    if (spawnSync(program, ['--help'], { stdio: 'ignore' }).error) done.push('${lacking}' + program)
`

/** The namespaces of a process, read from inside. */
const namespaces = `
  ${needs(['unshare', 'nsenter'])}
  await attempt('made a user namespace', () => runs('unshare', '--user', 'true'))
  await attempt('made a mount namespace', () => runs('unshare', '--mount', 'true'))
  await attempt('made a network namespace', () => runs('unshare', '--net', 'true'))
  await attempt('entered the namespaces of pid 1', () => runs('nsenter', '--target', '1', '--mount', 'true'))
  const status = fs.readFileSync('/proc/self/status', 'utf8')
  await attempt('had a capability', () => !/CapPrm:\\s0+\\nCapEff:\\s0+\\nCapBnd:\\s0+\\nCapAmb:\\s0+\\n/.test(status))
  await attempt('could gain privileges', () => !/NoNewPrivs:\\s1/.test(status))
`

const mounting = `
  ${needs(['mount', 'umount', 'chroot', 'mknod'])}
  for (const args of [['-t', 'tmpfs', 'none', '/tmp'], ['-o', 'remount,rw', '/'], ['-o', 'remount,rw', '/usr'],
    ['-o', 'remount,rw', '/proc/sys'], ['--bind', '/tmp', '/usr'], ['-t', 'proc', 'proc', '/tmp']])
    await attempt('mount ' + args.join(' '), () => runs('mount', ...args))
  await attempt('umount /proc/sys', () => runs('umount', '/proc/sys'))
  await attempt('chroot', () => runs('chroot', '/', 'true'))
  await attempt('mknod', () => runs('mknod', '/tmp/disk', 'b', '8', '0'))
`

/**
 * A later mount of the host would appear inside through mount propagation: among peers, or from a
 * master.
 */
const lateMounts = `
  for (const line of fs.readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\\n')) {
    const [, , , , point, , ...options] = line.split(' ')
    const optional = options.slice(0, options.indexOf('-'))
    await attempt('takes part in ' + point, () => optional.some((each) => /^(shared|master|propagate_from):/.test(each)))
  }
`

const environments = (names: readonly string[], canary: string) => `
  const own = ['PATH', 'HOME', 'HOSTNAME', 'TERM', 'LANG', 'container']
  const first = fs.readFileSync('/proc/1/environ', 'latin1').split('\\0').filter(Boolean).map((pair) => pair.split('=')[0])
  for (const name of first) await attempt('saw ' + name, () => !own.includes(name) && ${json(names)}.includes(name))
  for (const pid of fs.readdirSync('/proc').filter((each) => /^\\d+$/.test(each)))
    await attempt('saw a key in ' + pid, () => fs.readFileSync('/proc/' + pid + '/environ', 'latin1').includes(${json(canary)}))
`

/** A host process with a secret: records the attempts inside, and if the process survives. */
function againstProcess(place: Place): Attack {
  return {
    row: 'sandbox',
    name: `${place} kills, traces or looks at a process of the host`,
    expected: 'nothing, and the process lives',
    async run(range) {
      const victim = startProgram(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
        env: { PLANTED: range.canary },
        cwd: '/',
        stdio: 'ignore',
      })
      const ended = once(victim, 'exit')
      try {
        await once(victim, 'spawn')
        const observed = await tryInside(range, attackProcess(victim.pid ?? 0, range.canary), { place })
        const lives = victim.exitCode === null && victim.signalCode === null
        return `${observed}, and the process ${lives ? 'lives' : 'is dead'}`
      } finally {
        victim.kill('SIGKILL')
        await ended
      }
    },
  }
}

const attackProcess = (pid: number, canary: string) => `
  const environ = '/proc/${pid}/environ'
  await attempt('read its environment', () => fs.readFileSync(environ, 'latin1').includes(${json(canary)}))
  await attempt('entered its root', () => fs.readdirSync('/proc/${pid}/root').length > 0 && fs.readFileSync(environ, 'latin1').includes('PLANTED'))
  await attempt('saw a second pid namespace', () => fs.readFileSync('/proc/self/status', 'utf8').match(/NSpid:.*/)[0].trim().split(/\\s+/).length > 2)
  try { process.kill(${pid}, 'SIGKILL') } catch {}
`

const abstractSocket = (place: Place): Attack => ({
  row: 'sandbox',
  name: `${place} reaches an abstract unix socket of the host`,
  expected: 'nothing',
  async run(range) {
    const path = `\0drydock-attack-${crypto.randomUUID()}`
    await using _server = await serveOnHost(path)
    return tryInside(range, `await attempt('reached it', () => connects({ path: ${json(path)} }))`, { place })
  },
})

const inherited: Attack = {
  row: 'sandbox',
  name: 'code inside reads through a folder that Drydock itself was handed open',
  expected: 'looked, looked',
  async run(range) {
    return lookThroughInherited(range, await range.newFolder({ 'secret.txt': 'planted ' }))
  },
}

export const sandboxAttacks: readonly Attack[] = [
  ...everywhere('reads the user’s files, or those of another workspace', async (range) => {
    const other = await range.newFolder({ 'secret.txt': 'planted' })
    const paths = [join(other, 'secret.txt'), ...range.secretPaths]
    return paths.map((path) => `await attempt('saw ' + ${json(path)}, () => fs.existsSync(${json(path)}))`).join('\n')
  }),
  ...everywhere('reads the environment of the process that started it', ({ env, canary }) =>
    environments(Object.keys(env), canary),
  ),
  ...everywhere('writes a switch of the kernel', () =>
    switches.map((path) => `await attempt('opened ${path}', () => opens('${path}', 'r+'))`).join('\n'),
  ),
  ...everywhere('makes a namespace or has a capability', () => namespaces),
  ...everywhere('mounts, or changes what is mounted', () => mounting),
  ...everywhere('makes system calls that no program under test needs', () => `${needs(['perl'])}\n${systemCalls}`),
  ...everywhere('reads private keys and secrets of the machine', () => machineSecrets),
  ...everywhere('is shown what the host mounts later', () => lateMounts),
  ...everywhere('writes outside of the workspace and the temporary folders', () =>
    ['/', '/usr', '/usr/bin', '/etc', '/opt', '/proc', '/.drydock', '/home']
      .map((path) => `await attempt('wrote into ${path}', () => opens('${path}/planted', 'w'))`)
      .join('\n'),
  ),
  ...everywhere('opens a device of the machine, or the terminal', () =>
    [...devices, '/dev/tty'].map((path) => `await attempt('opened ${path}', () => opens('${path}', 'r'))`).join('\n'),
  ),
  ...everywhere('reaches D-Bus, X11 or the server of containers', () =>
    sockets.map((path) => `await attempt('reached ${path}', () => connects({ path: '${path}' }))`).join('\n'),
  ),
  ...places.map(abstractSocket),
  ...places.map(againstProcess),
  inherited,
]
