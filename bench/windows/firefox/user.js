// SPDX-License-Identifier: GPL-3.0-or-later
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("browser.aboutwelcome.enabled", false);
