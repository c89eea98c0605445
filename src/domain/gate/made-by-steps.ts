import { guardedBy, isPackageManifest } from './guarded-file.ts'
import { shadowsModule } from './shadowed-modules.ts'

/** A file that decides about the gate by its name, and that is not in any commit. */
interface MadeFile {
  /** The file, or the folder of a tool or a package that stands for all files in it. */
  readonly path: string
  /** The decision, which continues "which decides about". */
  readonly what: string
  /** True if a tool writes such files beside the files that it processes. */
  readonly isOutput: boolean
}

interface Place {
  /** Files that dependencies are installed from. */
  readonly inputs: readonly string[]
  /** The folder that the steps start in. */
  readonly folder: string
}

const outputs = /^(?:kept results of checks|installed dependencies)$/
/** Folders whose file names come from a tool or an installer. */
const ownFolder =
  /^(?:.*?\/)?(?:(?:node_modules|site-packages|bower_components)\/(?:@[^/]+\/)?[^/]+|\.(?:turbo|nx|wireit|gradle|pytest_cache|mypy_cache|ruff_cache|yarn|venv)|venv)(?=\/)/

/** The decision of a file that a step has written; null for an ordinary file. */
export function decidesByName(path: string, { inputs, folder }: Place): MadeFile | null {
  const guard = guardedBy(path, inputs)
  if (guard === null) {
    if (isPackageManifest(path)) return { path, what: 'what is run and loaded there', isOutput: true }
    const shadow = 'Python, which imports it in place of a module that its runner needs'
    return shadowsModule(path, folder) ? { path, what: shadow, isOutput: false } : null
  }
  const isOutput = outputs.test(guard)
  const own = isOutput ? ownFolder.exec(path)?.[0] : undefined
  return { path: own ?? path, what: guard, isOutput }
}
