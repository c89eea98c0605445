/** Programs that run the file which is named first. */
const interpreter =
  /(?:^|[\s;&|(])(?:[^\s;&|()]*\/)?(?:node|nodejs|deno[ \t]+run|bun|tsx|ts-node|python[\d.]*|pypy\d?|ruby|perl|php|lua|Rscript|bash|dash|zsh|sh|pwsh)((?:[ \t]+-[^\s;&|()]*)*)[ \t]+([^\s;&|()<>'"]+)/g

const program = /(?:^|[;&|(])\s*(\.\.?\/[^\s;&|()<>'"]+)/g

/** What an application starts with: to change it is what changes are for. */
const entry = /^(?:src|lib|app|cmd|bin)\/|(?:^|\/)(?:main|index|app|cli|server|manage|__main__)\.[^/]+$/

/** Whether a path is one that an application starts with, or has its sources at. */
export function isEntry(path: string): boolean {
  return entry.test(path)
}

/**
 * Files that a command runs as programs instead of reading them: they decide the command's result.
 * They are named as in the command, without a `./`.
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
