import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { isSecretFile } from '../../domain/secrets/secret-files.ts'
import { prepareWrite } from './edit-file.ts'
import { defineTool, refuse } from './tool.ts'

export const writeFile = defineTool({
  kind: 'edit',
  name: 'write_file',
  purpose: 'Create or replace a whole file. Prefer edit_file for one that exists.',
  input: () => z.strictObject({ path: z.string().min(1), content: z.string() }),
  roles: ['editor_coding'],
  async prepare({ path, content }, context) {
    if (isSecretFile(path)) return refuse(`${path} is not written: files of this name hold secrets`)
    if (Buffer.byteLength(content) > limits.fileBytes)
      return refuse(`${path}: the content is larger than ${limits.fileBytes} bytes`)
    const now = await context.session.request({ op: 'hash', path }, context.signal)
    if (!now.ok) return refuse(now.message)
    const before = now.value.sha256
    const said = `${before === null ? 'Created' : 'Replaced'} ${path}.`
    return prepareWrite({ path, text: content, before, said }, context)
  },
})
