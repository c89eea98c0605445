import type { DetectedSystem, Project } from './project.ts'
import { present, reportFile, reportPath } from './project.ts'

const mavenHome = '.drydock/m2'
const gradleHome = '.drydock/gradle'
/** The hosts that packages come from if the machine has no mirror. */
const hosts = ['registry', 'repo.maven.apache.org', 'repo1.maven.org']

/** A Maven project, built with the machine's own Maven. */
export function detectMaven(project: Project): DetectedSystem | null {
  if (!('pom.xml' in project.files)) return null
  const maven = `mvn -B -ntp -Dmaven.repo.local="$PWD/${mavenHome}"`
  const inputs = Object.keys(project.files).filter((path) => /(?:^|\/)pom\.xml$/.test(path))
  return {
    system: 'maven',
    from: 'pom.xml',
    prepare: {
      name: 'packages',
      // Maven fetches its test plugins only when tests run, so the preparation runs them.
      command: `${maven} -Dmaven.test.failure.ignore=true test`,
      inputs,
      outputs: [mavenHome],
      network: hosts,
    },
    steps: [{ name: 'test', ...reported(`${maven} -o test`, 'surefire-reports') }],
    overlay: 'Maven builds into the folder target',
    programs: ['mvn', 'java'],
  }
}

const gradleFiles = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']

/** A Gradle project, built with its own Gradle wrapper. */
export function detectGradle(project: Project): DetectedSystem | null {
  const [from] = present(project, gradleFiles)
  if (from === undefined) return null
  const gradle = 'gradlew' in project.files ? 'sh ./gradlew' : 'gradle'
  const names =
    /(?:^|\/)(?:(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|libs\.versions\.toml|gradle-wrapper\.properties)$/
  // A cached result would mean that the tests did not run.
  const run = '--no-daemon --no-build-cache'
  const copied = '"$TMPDIR/gradle"'
  return {
    system: 'gradle',
    from,
    prepare: {
      name: 'packages',
      command: `${gradle} -g ${gradleHome} ${run} testClasses && { ${gradle} -g ${gradleHome} ${run} --continue test || true; }`,
      inputs: Object.keys(project.files).filter((path) => names.test(path)),
      outputs: [gradleHome],
      network: [
        ...hosts,
        'services.gradle.org',
        'plugins.gradle.org',
        'plugins-artifacts.gradle.org',
        'downloads.gradle.org',
      ],
    },
    steps: [
      {
        name: 'test',
        // Gradle always writes into its home, so each step gets a copy.
        ...reported(`cp -R ${gradleHome} ${copied} && ${gradle} -g ${copied} --offline ${run} test`, 'test-results'),
      },
    ],
    overlay: 'Gradle builds into the folder build',
    programs: gradle === 'gradle' ? ['gradle', 'java'] : ['java'],
  }
}

/** Joins the reports of single classes into one. */
function reported(command: string, folder: string): { readonly command: string; readonly junit: string } {
  const join = `find . -path "*/${folder}/*" -name "TEST-*.xml" -exec sed "s/<?xml[^>]*?>//" {} +`
  return {
    command: `${command}; end=$?; { echo "<testsuites>"; ${join}; echo "</testsuites>"; } > "${reportPath}"; exit $end`,
    junit: reportFile,
  }
}
