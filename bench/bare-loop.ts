/**
 * The smallest possible agent loop, for comparison: asks the same model, runs the tool, extends the
 * history. Nothing is stored, checked, limited or sandboxed. Arguments: the model's origin, the
 * folder.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runLoop } from './loop.ts'

const [origin = '', folder = ''] = process.argv.slice(2)

await runLoop({
  origin,
  async answer({ name, input }) {
    if (name === 'read_file') return readFile(join(folder, input.path), 'utf8')
    return (await promisify(execFile)('sh', ['-c', input.command], { cwd: folder })).stdout
  },
})
