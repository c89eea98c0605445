import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeClock } from './clock.ts'

/**
 * Starts the storm in its own namespaces for network, mounts and processes. The kernel removes
 * everything in them, however the storm ends.
 */
const missing = [
  ...(process.getuid?.() === 0 ? [] : ['the rights of root, which namespaces of the network need']),
  ...['ip', 'tc', 'unshare', 'nsenter', 'openssl'].flatMap((program) =>
    spawnSync('which', [program]).status === 0 ? [] : [`the program ${program}`],
  ),
  ...(fakeClock() === null ? ['libfaketime (package faketime)'] : []),
  ...(existsSync('/proc/self/ns/net') ? [] : ['namespaces of the network in the kernel']),
]
if (missing.length > 0) {
  process.stderr.write(`storm:hosts cannot run here. This is missing:\n${missing.map((it) => `- ${it}\n`).join('')}`)
  process.stderr.write('As root, `sh scripts/setup.sh long` installs the programs.\n')
  process.exit(2)
}

const vitest = ['vitest', 'run', '--config', 'vitest.hosts.config.ts', ...process.argv.slice(2)]
const inside = 'mount -t tmpfs none /run && mkdir -p /run/netns && ip link set lo up && exec "$@"'
const own = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
const folder = mkdtempSync(join(tmpdir(), 'drydock-storm-'))
chmodSync(folder, 0o755)
const env = { ...process.env, TMPDIR: folder }
const storm = spawn('unshare', [...own, 'sh', '-c', inside, 'sh', ...vitest], { stdio: 'inherit', env })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => storm.kill('SIGKILL'))
storm.on('close', (code, signal) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL'])
})
