import { spawnSync } from 'node:child_process'

/** Programs for building and starting images, which few machines have. */
const missing = [
  ...(process.getuid?.() === 0 ? [] : ['the rights of root, for debootstrap and podman as root']),
  ...['podman', 'debootstrap', 'newuidmap', 'slirp4netns'].flatMap((program) =>
    spawnSync('which', [program]).status === 0 ? [] : [`the program ${program}`],
  ),
]
if (missing.length > 0) {
  process.stderr.write(`deploy cannot run here. This is missing:\n${missing.map((it) => `- ${it}\n`).join('')}`)
  process.stderr.write('As root, `sh scripts/setup.sh long` installs the programs.\n')
  process.exit(2)
}

const vitest = ['run', '--config', 'vitest.long.config.ts', '--project', 'deploy', ...process.argv.slice(2)]
process.exit(spawnSync('vitest', vitest, { stdio: 'inherit' }).status ?? 1)
