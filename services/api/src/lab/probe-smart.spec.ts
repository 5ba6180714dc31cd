import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProbeRunner, SHELLS } from '../testing/probe.fixture.js';

const HEAD = `smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.12.48+deb13-amd64] (local build)
Copyright (C) 2002-23, Bruce Allen, Christian Franke, www.smartmontools.org
`;
const SECTION = `${HEAD}
=== START OF READ SMART DATA SECTION ===`;
const TABLE = `
SMART Attributes Data Structure revision number: 16
Vendor Specific SMART Attributes with Thresholds:
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  1 Raw_Read_Error_Rate     0x000f   112   099   006    Pre-fail  Always       -       42208416`;
const HEALTHY = `${SECTION}
SMART overall-health self-assessment test result: PASSED
${TABLE}
  5 Reallocated_Sector_Ct   0x0033   100   100   036    Pre-fail  Always       -       0
190 Airflow_Temperature_Cel 0x0022   066   048   045    Old_age   Always   In_the_past 34
194 Temperature_Celsius     0x0022   035   045   000    Old_age   Always       -       35 (0 18 0 0 0)
197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       0
198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       0
`;
const FAILED_ROW = '  5 Reallocated_Sector_Ct   0x0033   005   005   036    Pre-fail  Always   FAILING_NOW 3920';
const FAILED = `${SECTION}
SMART overall-health self-assessment test result: FAILED!
Drive failure expected in less than 24 hours. SAVE ALL DATA.
Failed Attributes:
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
${FAILED_ROW}
${TABLE}
${FAILED_ROW}
194 Temperature_Celsius     0x0022   041   055   000    Old_age   Always       -       41
197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       8
198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       24
`;
const UNKNOWN = `${SECTION}
SMART Status command failed: scsi error aborted command
SMART overall-health self-assessment test result: UNKNOWN!
SMART Status, Attributes and Thresholds cannot be read.
`;
const WORN_NVME = `${HEAD}
=== START OF SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

SMART/Health Information (NVMe Log 0x02)
Critical Warning:                   0x00
Temperature:                        48 Celsius
Available Spare:                    100%
Percentage Used:                    93%
Data Units Read:                    12,345,678 [6.32 TB]
Media and Data Integrity Errors:    1,204
Temperature Sensor 1:               48 Celsius
`;
const SAS = `${SECTION}
SMART Health Status: FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]

Percentage used endurance indicator: 7%
Current Drive Temperature:     32 C
Drive Trip Temperature:        68 C

Elements in grown defect list: 2066
`;
const ASLEEP = `${HEAD}
Device is in STANDBY mode, exit(2)
`;
const DENIED = `${HEAD}
Smartctl open device: /dev/sdf failed: Permission denied
`;
const LIST = `/dev/sda -d scsi # /dev/sda, SCSI device
/dev/bus/0 -d megaraid,8 # /dev/bus/0 [megaraid_disk_08], SCSI device
/dev/nvme0 -d nvme # /dev/nvme0, NVMe device`;

const NONE = { passed: null, moved: null, pending: null, heat: null, worn: null, failing: '' };

describe.each(SHELLS)('the health of disks under %s', (_, shell) => {
  let runner: ProbeRunner;
  beforeAll(async () => {
    runner = await ProbeRunner.make(shell);
  });
  afterAll(() => runner.remove());

  /** The reading on a machine whose smartctl prints this list, and `answers` (shell commands) by its last arguments. */
  const smart = async (list: string, answers: Readonly<Record<string, string>>) => {
    const cases = Object.entries(answers).map(([what, does]) => `*' ${what}') ${does} ;;\n`);
    const smartctl = `case "$*" in\n--scan) cat <<'L'\n${list}\nL\n;;\n${cases.join('')}esac`;
    const path = await runner.programs({ smartctl, sudo: 'shift; exec "$@"' });
    const [reading] = (await runner.probe({}, { path, only: 'smart' })).readings;
    return { ...reading, facts: new Map(reading?.facts.map(({ name, values }) => [name, values])) };
  };
  const prints = (text: string, code = 0): string => `cat <<'T'\n${text}T\nexit ${code}`;
  const alone = async (text: string, code = 0) => {
    const { facts, skipped, nonsense } = await smart('/dev/sda -d scsi # /dev/sda, SCSI device', {
      '-d auto -H -A /dev/sda': prints(text, code),
    });
    return { values: facts.get('/dev/sda'), skipped, nonsense };
  };

  it.each([
    ['a healthy disk', HEALTHY, 32, { passed: 1, moved: 0, pending: 0, heat: 35 }],
    ['a failed disk', FAILED, 24, { passed: 0, moved: 3920, pending: 24, heat: 41, failing: 'Reallocated_Sector_Ct' }],
    ['a worn NVMe disk', WORN_NVME, 0, { passed: 1, pending: 1204, heat: 48, worn: 93 }],
    ['a failing SAS disk', SAS, 8, { passed: 0, moved: 2066, heat: 32, worn: 7 }],
  ])('%s is reported as a fact', async (__, text, code, values) => {
    expect(await alone(text, code)).toEqual({ values: { ...NONE, sleeping: 0, ...values }, skipped: [], nonsense: 0 });
  });

  it('a sleeping disk is reported as sleeping', async () => {
    expect((await alone(ASLEEP, 2)).values).toEqual({ ...NONE, sleeping: 1 });
  });

  it.each([
    ['refuses this user', DENIED, 2],
    ['does not know the health', UNKNOWN, 4],
    ['prints nonsense', 'PASSED? FAILED? \u0001 {"a": 1}\n', 0],
    ['prints nothing', '', 1],
  ])('if smartctl %s, the probe reports a reason and no fact', async (__, text, code) => {
    expect(await alone(text, code)).toEqual({
      values: undefined,
      skipped: ['smartctl cannot read the health of /dev/sda'],
      nonsense: 0,
    });
  });

  it('disks behind a RAID controller are read, even if another disk hangs', async () => {
    const { facts, skipped } = await smart(LIST, {
      '-d auto -H -A /dev/sda': 'sleep 30',
      '-d megaraid,8 -H -A /dev/bus/0': prints(SAS, 8),
      '-d auto -H -A /dev/nvme0': prints(WORN_NVME),
    });
    expect([...facts.keys()].toSorted()).toEqual(['/dev/bus/0 megaraid,8', '/dev/nvme0']);
    expect(skipped).toEqual(['it took more than 7 s']);
  });

  it('a machine without disks has no facts about disk health', async () => {
    expect(await smart('', {})).toMatchObject({ facts: new Map(), skipped: [], nonsense: 0, done: true });
  });
});
