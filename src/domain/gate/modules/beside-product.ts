import { exampleFolder } from '../guarded-file.ts'
import { type ModuleGraph, reachedBy } from './graph.ts'

/** Folders that do not belong to a product, apart from examples; hidden folders belong to tools. */
const folders = /(?:^|\/)(?:bench(?:es|mark(?:s|ing)?)?|perf|fuzz(?:ing|ers?)?|stories|playgrounds?|\.[^/]+)\//i

/** A story, a benchmark or a fuzz target by its name. */
const named =
  /\.stor(?:y|ies)\.[^/.]+$|[._-](?:bench(?:mark)?s?|fuzz(?:er)?)\.[^/.]+$|(?:^|\/)(?:bench(?:mark)?|fuzz)(?:_[^/]*)?\.[^/.]+$/i

/** Configuration that is a script: `next.config.mjs`, `.eslintrc.cjs`, `gulpfile.js`. */
const configuration =
  /\.config(?:\.[\w-]+)*\.[cm]?[jt]sx?$|(?:^|\/)(?:\.[^/]+|(?:gulp|grunt|jake)file|noxfile)\.(?:[cm]?[jt]s|py)$/i

/** Longer paths cannot be checked out. */
const mostChars = 4_096

/** True if a file, by its name, is an example, a benchmark or configuration of a tool. */
function isBesideByName(path: string): boolean {
  const shown = path.slice(-mostChars)
  return exampleFolder(path) !== null || [folders, named, configuration].some((each) => each.test(shown))
}

/**
 * Files that are not part of the product: by their name, unless another file loads them, directly
 * or through others. Without a graph, the name alone decides.
 */
export function besideProduct(paths: readonly string[], graph: ModuleGraph | null): ReadonlySet<string> {
  const beside = paths.filter(isBesideByName)
  if (graph === null || beside.length === 0) return new Set(beside)
  const others = [...graph.modules].filter((path) => !isBesideByName(path))
  const loaded = reachedBy(graph, others, { inTests: true })
  return new Set(beside.filter((path) => !loaded.has(path)))
}
