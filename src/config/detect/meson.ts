import type { DetectedSystem, Project } from './project.ts'

const folder = '"$ARTIFACT_DIR/build/meson"'

/** A project whose meson.build defines tests; Meson writes their report beside its logs. */
export function detectMeson({ files }: Project): DetectedSystem | null {
  const has = (what: RegExp) =>
    Object.entries(files).some(([path, text]) => /(?:^|\/)meson\.build$/.test(path) && what.test(text))
  if (!('meson.build' in files) || !has(/^\s*test\s*\(/m)) return null
  return {
    system: 'meson',
    from: 'meson.build',
    steps: [
      { name: 'build', command: `meson setup ${folder} && meson compile -C ${folder}` },
      {
        name: 'test',
        command: `meson test -C ${folder} --print-errorlogs`,
        junit: 'build/meson/meson-logs/testlog.junit.xml',
      },
    ],
    notes: has(/\bfallback\s*:/) ? ['Meson may download a subproject, which a step cannot: it has no network.'] : [],
    programs: ['meson', 'ninja'],
  }
}
