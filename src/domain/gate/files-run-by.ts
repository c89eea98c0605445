/** Interpreters, followed by the file that they run. */
const interpreter =
  /(?:^|[\s;&|(])(?:[^\s;&|()]*\/)?(?:node|nodejs|deno[ \t]+run|bun|tsx|ts-node|python[\d.]*|pypy\d?|ruby|perl|php|lua|Rscript|bash|dash|zsh|sh|pwsh)((?:[ \t]+-[^\s;&|()]*)*)[ \t]+([^\s;&|()<>'"]+)/g

const program = /(?:^|[;&|(])\s*(\.\.?\/[^\s;&|()<>'"]+)/g

/** Starting points of an application: changing them is normal work. */
const entry = /^(?:src|lib|app|cmd|bin)\/|(?:^|\/)(?:main|index|app|cli|server|manage|__main__)\.[^/]+$/

/** True if a path is a starting point of an application, or in a folder of its sources. */
export function isEntry(path: string): boolean {
  return entry.test(path)
}

/**
 * Files that a command runs as programs instead of reading them: they decide the command's result.
 * The paths are as in the command, without a leading `./`.
 */
export function filesRunBy(command: string): readonly string[] {
  const named = [
    ...[...command.matchAll(interpreter)].map(([, options = '', file = '']) =>
      /\s-[cem]\b/.test(options) ? '' : file,
    ),
    ...[...command.matchAll(program)].map(([, file = '']) => file),
  ]
  const files = named.map((file) => file.replace(/^(?:\.\/+)+/, ''))
  return [...new Set(files.filter((file) => /[./]/.test(file) && !isEntry(file)))]
}
