import { chmod, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attack } from '../attack.ts'
import { writeFiles } from '../write-files.ts'

const sharedFolder: Attack = {
  row: 'host code',
  name: 'another user writes to the folder of all states, and puts a state with a hook there',
  expected: 'refused: state_unusable; nothing ran',
  async run(range) {
    const states = await range.newFolder()
    const target = await range.newTarget({ env: { DRYDOCK_HOME: states } })
    const mirror = join(target.drydock.state, 'mirror.git')
    await mkdir(mirror, { recursive: true })
    await target.git('init', '--quiet', '--bare', mirror)
    await writeFiles(mirror, { config: `[core]\n\tbare = true\n\thooksPath = ${join(mirror, 'planted')}\n` })
    await mkdir(join(mirror, 'planted'))
    await cp(target.marker, join(mirror, 'planted/reference-transaction'))
    await chmod(join(mirror, 'planted/reference-transaction'), 0o755)
    await chmod(states, 0o777)
    const { events } = await target.run(['verify', target.tip])
    const refusal = events.find(({ type }) => type === 'error')?.code
    const ran = (await target.hasRun()) ? 'it ran on the host' : 'nothing ran'
    return `${refusal === undefined ? 'used' : `refused: ${refusal}`}; ${ran}`
  },
}

export const sharedStateAttacks: readonly Attack[] = [sharedFolder]
