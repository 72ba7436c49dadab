# SPDX-License-Identifier: GPL-3.0-or-later
"""Words and figures of made-up rows: an experiment's verdict, findings and curves say no more than the rows do."""
import pytest
from made_up import Said, has, lacks, level, row


# --- animation, cache, protocols ----------------------------------------------------------------------------------

@pytest.mark.parametrize('value, two, verdict', [(9, '8.940 9.060', 'good'), (9, '8.900 9.100', 'unsure'),
                                                 (12, '11.900 12.100', 'bad')])
def test_animation_two_repeats_interval_is_student_s(value, two, verdict):
    """t.ppf(0.975, 1) is 12.7."""
    said = Said('animation', [row(protocol='vnc', shows='caret', mbit_per_s=0.1, kb_per_s=value, kb_per_s_both=two, repeats=2)])
    has(said.one('simple-animations'), f'{verdict}:')


def test_animation_protocols_without_a_figure_are_named_not_part_of_every_protocol():
    said = Said('animation', [row(protocol='vnc', verdict='in part', mbit_per_s=1, seen_per_s=19.5, shown_per_s=20, cpu_percent=1,
                                  share_percent=50, frame_wire_bytes=9), row(protocol='nx')])
    text = said.verdict() + said.one('frames-seen')
    has(text, 'no figure for nx')
    lacks(text, 'Every', 'All frames')


def test_protocols_work_of_which_no_byte_was_seen_is_no_figure():
    cells = [{'parameters': {'part': 'work', 'protocol': p}, 'name': p} for p in ('vnc', 'x11')]
    said = (Said('protocols', [row(protocol='vnc', what='text', total_wire_bytes=900),
                               row(protocol='x11', what='text', total_wire_bytes=0)],
                 {'settings': {'works': ['text']}, 'cells': cells}).verdict())
    has(said, 'over vnc', 'No figure of the whole work for x11')


# --- wan ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('alone, typed, verdict', [
    ((100, 99, 101), (120, 118, 122), 'bad'), ((100, 60, 140), (120, 118, 122), 'unsure'), ((100, 99, 101), (100, 99, 101), 'good'),
    ((100, None, None), (100, None, None), 'unsure')])
def test_wan_scatter_of_the_single_keys_median_counts(alone, typed, verdict):
    rows = [row(protocol='vnc', rtt_ms=80, loss_percent=0, keys=100, keys_per_s=rate, **level('p50_ms', *of))
            for rate, of in ((0, alone), (20, typed))]
    has(Said('wan', rows).one('typed'), f'{verdict}:')


def test_wan_protocols_are_named():
    said = Said('wan', [row()], slope=[{'protocol': p, **level('slope', 1, 0.98, 1.02)} for p in ('vnc', 'x11')]).verdict()
    has(said, 'over vnc and x11')
    lacks(said, 'every')


@pytest.mark.parametrize('ends, waits', [((110, 112), False), ((117, 119), True)])
def test_wan_of_two_repeats_the_whole_interval_is_as_many_times_longer_as_is_asked_for(ends, waits):
    """110 is more than the 100.6 of single keys, but 1.15 times that are 115.7."""
    base = {'protocol': 'vnc', 'rtt_ms': 80, 'loss_percent': 0, 'keys': 100, 'repeats': 2}
    said = Said('wan', [row(base, keys_per_s=0, p50_ms=100, p50_ms_both='99.950 100.050'),
                        row(base, keys_per_s=20, p50_ms_from=ends[0], p50_ms_to=ends[1])]).one('typed')
    assert said and ('vnc waits' in said) == waits


@pytest.mark.parametrize('conditions, lost, parts', [
    (1, 40, ('good: ', 'no more than chance')),  # of 2000 packets 1.4 to 2.7 % may be
    (1, 55, ('unsure: ', 'in 1 of 1 condition.')),  # 55 or more have a probability of 1.3 %, 70 or more of 0.0009 %
    (12, 55, ('no more than chance',)), (12, 70, ('in 1 of 12 conditions.',))])
def test_wan_loss_differs_from_the_setting_by_an_exact_test_for_all_conditions(conditions, lost, parts):
    rows = [row(protocol='vnc', rtt_ms=80, loss_percent=2, packets=2000, lost=40 if i else lost) for i in range(conditions)]
    said = Said('wan', rows, {'host': {'link': {'line': {'kind': 'wire'}}}}).of('link_quality')
    has(said, *parts)
    lacks(said, 'as set')


@pytest.mark.parametrize('rows', [[], [row(protocol='vnc', rtt_ms=80, loss_percent=2, packets=2000)]])
def test_wan_an_unknown_loss_is_not_judged(rows):
    said = Said('wan', rows, {'host': {'link': {'line': {'kind': 'wire'}}}}).of('link_quality')
    assert 'loss' not in said and 'good: ' not in said


@pytest.mark.parametrize('most_us, rtt_ms, verdict', [(8000, 80, 'good'), (8001, 80, 'unsure'), (300, 0, 'good'),
                                                      (None, 80, 'good')])
def test_wan_excess_delay_is_beside_the_longest_round_trip(most_us, rtt_ms, verdict):
    link = {'line': {'kind': 'wire', 'wire': {'added_delay_us': {'n': 9, 'p50': 20, 'max': most_us}}}}
    said = Said('wan', [row(protocol='vnc', rtt_ms=rtt_ms, loss_percent=0)], {'host': {'link': link}}).of('link_quality')
    has(said, f'{verdict}: ')
    assert ('over 10 %' in said) == (verdict == 'unsure')


@pytest.mark.parametrize('with_loss, without, verdict, waited', [
    ({'max_ms': 95}, {'max_ms': 90}, 'none', False), ({'max_ms': 100}, {'max_ms': 90}, 'none', False),
    ({'max_ms': 101}, {'max_ms': 90}, 'bad', False), ({'max_ms': 300}, {'max_ms': 90}, 'bad', True),
    ({'max_ms': 300}, {'max_ms': 250, 'max_above': 1}, '', False), ({'max_ms': 300}, {'repeats': 0}, '', False),
    ({'max_ms_from': 90, 'max_ms_to': 110}, {'max_ms': 90}, 'unsure', None),
    ({'max_ms': 95, 'max_above': 1}, {'max_ms': 90}, 'unsure', None),
    ({'max_ms': 5000, 'max_above': 1}, {'max_ms': 90}, 'bad', None), ({}, {'max_ms': 90}, 'unsure', None)])
def test_wan_slowest_key_is_bad_only_if_late_and_waited_for_a_packet_only_if_it_could(with_loss, without, verdict, waited):
    base = {'protocol': 'vnc', 'rtt_ms': 80, 'keys': 60, 'keys_per_s': 0, 'p50_ms': 82}
    said = Said('wan', [row(base, with_loss, loss_percent=2), row(base, without, loss_percent=0)]).of('losses')
    has(said, f'{verdict}: ' if verdict else ': ')
    assert waited is None or ('long enough' in said) == waited


@pytest.mark.parametrize('columns, verdict', [
    (level('p50_ms', 120, 110, 130), 'bad'), ({'p50_ms': 120, 'repeats': 1}, 'none'), (level('p50_ms', 105, 95, 115), 'none'),
    (level('p50_ms', 90, 80, 100), 'none')])
def test_wan_one_repeat_s_median_over_the_longest_link_is_not_called_late(columns, verdict):
    has(Said('wan', [row(columns, protocol='vnc', rtt_ms=80, loss_percent=0, keys=20)]).one('longest-link'), f'{verdict}: ')


@pytest.mark.parametrize('keys, n', [(20, 3), (0, 0)])
def test_wan_keys_without_a_response_stand_beside_each_median(keys, n):
    rows = [row(protocol=p, rtt_ms=80, keys=100, p50_ms=90, unanswered=keys if p == 'vnc' else 0, loss_percent=loss,
                keys_per_s=rate)
            for p in ('vnc', 'x11') for loss in (0, 1) for rate in (0, 20)]
    texts = [Said('wan', rows).one(name) for name in ('longest-link', 'typed', 'loss')]
    assert all(texts) and sum('20 % without' in text[text.index('vnc'):text.rindex('x11')] for text in texts) == n
    assert n or not any('without' in text for text in texts)


# --- rtt ----------------------------------------------------------------------------------------------------------

def ping_rows(queues):
    return [row(level('mean_ms', mean, mean - 0.1, mean + 0.1), link='10Mbit', queue=queue, load=load,
                transport=transport, probe='ping', sent_percent=load, md1_wait_ms=1)
            for queue in queues for load, transport, mean in ((0, 'none', 1), (50, 'random', 1.001), (80, 'random', 3))]


def test_rtt_verdict_names_its_queue_and_the_loads_without_a_delay():
    said = Said('rtt', ping_rows(('fifo', 'fq_codel')))
    has(said.verdict() + said.one('random-load'), 'the queue fifo', 'no delay is shown at 50 %')
    said = Said('rtt', ping_rows(('fifo',)))
    lacks(said.verdict() + said.one('random-load'), 'queue')


def loads(arrived, half):
    """Of 96 and of 110 % by TCP, and of 80 % at random times."""
    return [row(level('load_percent', arrived, arrived - half, arrived + half), link='10Mbit', queue='fifo', load=load,
                transport=transport, probe='ping', sent_percent=load, max_ms=2, mean_ms=1)
            for load, transport in ((0, 'none'), (80, 'random'), (96, 'tcp'), (110, 'tcp'))]


def test_rtt_a_link_is_full_by_the_load_that_arrived_not_by_the_one_asked_for():
    said = Said('rtt', loads(98, 1)).all()
    assert sum(text.startswith(('overfull', 'nearly-full')) for text in said) == 2
    has('\n'.join(said), 'overfull bad')
    lacks('\n'.join(said), 'arrive')
    for arrived, half in ((60, 1), (95, 8)):
        text = '\n'.join(Said('rtt', loads(arrived, half)).all())
        has(text, 'nearly-full unsure: **The load asked for did not surely arrive',
            'overfull unsure: **The load asked for did not surely arrive',
            f'{arrived} % (95 % CI')
        lacks(text, 'saturates')
    has(next(text for text in Said('rtt', loads(60, 1)).all() if 'random-load' in text), '80 % of 10 Mbit/s (60 % arrived)')


@pytest.mark.parametrize('low, high, is_beyond', [(58, 64, True), (40, 82, False)])
def test_rtt_pings_wait_longer_than_a_full_queue_explains_where_the_whole_interval_does(low, high, is_beyond):
    """Of 61 ms beside a queue of 50 ms, which with 5 % and 5 ms are 57.5 ms."""
    rows = [row(level('mean_ms', 61, low, high), link='10Mbit', queue='fifo', probe='ping', transport='tcp', load=110, queue_ms=50)]
    assert bool(Said('rtt', rows).of('beyond')) == is_beyond


# --- idle, session-memory, capacity -------------------------------------------------------------------------------

def idle_slope(value, low, high):
    return Said('idle', [row()], slope=[{'what': 'system', 'system': 'vnc', 'slope_cpu_percent': 0.1,
                                         **level('slope_ms_per_min', value, low, high)}]).verdict()


def test_idle_with_one_repeat_the_cost_of_a_session_is_neither_significant_nor_zero():
    said = idle_slope(42, None, None)
    has(said, 'without an interval')
    lacks(said, 'costs')
    lacks(idle_slope(-1, None, None), 'significant')
    has(idle_slope(42, 40, 44), 'costs 42.0 ms/min (95 % CI')


def test_idle_a_slope_significantly_below_0_is_not_a_session_s_cost_and_the_line_begins_at_the_first_measured_point():
    def slope(value, low, high, least):
        said = Said('idle', [row(system='vnc', sessions=n) for n in (least, 5)], slope=[
            {'what': 'system', 'system': 'vnc', 'slope_cpu_percent': 0.1, 'sessions_max': 5,
             **level('slope_ms_per_min', value, low, high)}])
        return f'{said.verdict()}\n{said.one("cost")}'

    said = slope(-5, -6, -4, 0)
    has(said, 'unsure: ', 'omething else changed', 'from 0 to 5')
    lacks(said, 'whether one more', 'does not differ')
    has(slope(-1, -6, 4, 1), 'cannot tell whether one more idle session of vnc takes CPU time', 'does not differ significantly',
        'from 1 to 5')
    has(slope(80.1, -182, 343, 1), 'cannot tell whether')


@pytest.mark.parametrize('low, high, kernel', [(-1, 9, False), (2, 6, True)])
def test_idle_work_of_the_kernel_that_came_up_in_one_of_two_measurements_is_not_the_session_s(low, high, kernel):
    """What one session takes beyond none; there a worker of the kernel ran, which did not run without it."""
    rows = [row(system='none', sessions=0, own_ms_per_min=4), row(level('above_ms_per_min', 4, low, high), system='vnc', sessions=1,
                                                                  own_ms_per_min=4)]
    vnc = {'system': 'vnc', 'sessions': 1, 'kind': 'task'}
    said = Said('idle', rows, who=[
        {'system': 'none', 'sessions': 0, 'class': 'kernel', 'kind': 'task', 'culprit': 'rcu', 'lost_ms_per_min': 1},
        {**vnc, 'class': 'kernel', 'culprit': 'kworker', 'lost_ms_per_min': 3},
        {**vnc, 'class': 'own', 'culprit': 'Xvnc', 'lost_ms_per_min': 4}])
    text = said.one('who')
    assert text and ('kworker' in text) == kernel
    assert kernel or 'Xvnc' in text


@pytest.mark.parametrize('low, high, costs_more', [(2.9, 3.1, False), (3.01, 3.1, True)])
def test_session_memory_a_desktop_costs_more_than_a_terminal_only_if_both_intervals_lie_apart(low, high, costs_more):
    base = {'what': 'private', 'repeats': 5, 'logins_min': 1, 'logins_max': 10}
    said = Said('session-memory', [row(system='vnc.light', logins=1, private_mb=3)], slope=[
        {**base, 'system': 'vnc.light', **level('slope_mb', 2.9, 2.8, 3)},
        {**base, 'system': 'vnc.typical', **level('slope_mb', 3, low, high)}])
    text = said.one('cost')
    assert text and ('A desktop instead' in text) == costs_more


@pytest.mark.parametrize('times, parts', [(1.2, ('good: ',)), *((t, ('unsure: ', 'cannot tell')) for t in (1.3, 1.62, 2.1))])
def test_capacity_the_slowest_of_many_users_who_are_all_alike_is_no_user_who_fares_worse(times, parts):
    """20 users of one law, lognormal with sigma 1.2 and 60 keys each: the 95 % value of one scatters by 0.33 of itself (sqrt(0.95 x
    0.05 / 60) / (dnorm(1.645) / 1.2)), and the largest of 20 lies 1.87 such above their middle."""
    said = Said('capacity', points=[{'system': 'vnc.heavy', 'criterion': 'p95:100ms', 'users_min': 20, 'users_max': 20,
                                     'reached': 3, 'repeats': 3, 'worst_good': times}])
    has(said.one('fair-vnc-heavy'), *parts)


# --- paging -------------------------------------------------------------------------------------------------------

FOUND = {'protocol': 'vnc', 'swap': 'file', 'method': 'hog', 'evicted_percent_min': 95, 'major_faults_min': 1, 'not_evicted': 0,
         'kept_n': 0, 'attempts': 3}


@pytest.mark.parametrize('columns, head, verdict', [
    ({'in_memory_p50_ms': 20}, 'the first key takes up to 7.5 times', 'good'),
    ({'typed_max_ms_above': 1}, 'not shown that the first key takes longer', 'unsure'), ({'typed_max_ms': 130}, '', 'bad')])
def test_paging_what_cannot_be_told_is_neither_yes_nor_no(columns, head, verdict):
    """Of a first key that takes 150 ms."""
    rows = [row(FOUND, level('paged_out_p50_ms', 150, 140, 160), {'typed_max_ms': 80}, columns, protocol='vnc', swap='file',
                session=session, method=method, paged_out_n=3, kept_n=0) for session in ('plain', 'throttled')
            for method in ('hog', 'typing')]
    said = Said('paging', rows)
    has(said.one('paged-out'), head)
    has(said.one('throttled'), f'{verdict}: **Throttling')


def test_paging_an_unanswered_key_makes_the_largest_value_a_lower_bound_and_the_largest_second_key_is_given():
    said = Said('paging', [row(
        protocol='vnc', swap='file', session='throttled', method='typing', attempts=3, kept_n=0, not_evicted=0, typed_max_ms=50,
        typed_max_ms_above=1, typed_p50_ms=5, in_memory_p50_ms=5, paged_out_n=3, paged_out_p50_ms=50, second_paged_out_p50_ms=5,
        second_paged_out_max_ms=700, evicted_percent_min=95, major_faults_min=1)])
    text = said.one('throttled') + said.one('second-key')
    has(text, 'more than 50.0 ms', 'the latest 700 ms')
    lacks(text, 'good: **Throttling')


def paged(plain, busy):
    """What is said of rows of a first key of 600 ms, 500 to 700, and of 900 ms, 800 to 1000, to which this is added."""
    base = {'protocol': 'vnc', 'swap': 'file', 'session': 'plain', 'paged_out_n': 3, 'attempts': 3, 'kept_n': 0, 'not_evicted': 0,
            'in_memory_p50_ms': 2, 'evicted_percent_min': 95, 'major_faults_min': 1}
    said = Said('paging', [row(base, level('paged_out_p50_ms', 600, 500, 700), plain, method='hog'),
                           row(base, level('paged_out_p50_ms', 900, 800, 1000), busy, method='busy')])
    return '\n'.join((said.verdict(), said.one('paged-out'), said.one('harder')))


def test_paging_a_lower_bound_has_no_upper_end_and_no_ratio_to_it_is_given():
    has(paged({}, {}), 'takes 900 ms (95 % CI 800 to 1000 ms)', '450 times', 'up to 300 times',
        'bad: **The first key takes longer still')
    bound = {'paged_out_p50_ms_above': 1}
    said = paged(bound, bound)
    has(said, 'takes more than 900 ms (swap file; median), more than 450 times', 'takes more than 300 times',
        'unsure: **It is not shown')
    lacks(said, 'up to', '700 ms')
    lacks(paged({}, {'in_memory_p50_ms_above': 1}), '450 times')


def second(first, low, ms, **more):
    return (Said('paging', [row(FOUND, level('paged_out_p50_ms', first, low, 900),
                                {'in_memory_p50_ms': 2, 'paged_out_n': 3, 'second_paged_out_p50_ms': ms,
                          'second_paged_out_max_ms': 70}, more)]).one('second-key'))


def test_paging_only_the_first_key_is_late_needs_a_first_key_surely_late_and_a_second_surely_not():
    has(second(600, 500, 6), 'only the first key')
    for first, low in ((20, 15), (150, 90)):
        said = second(first, low, 6)
        has(said, 'good: ', 'second key is not late')
        lacks(said, 'the first key is')
    said = second(600, 500, 19, second_paged_out_p50_ms_above=1, second_paged_out_max_ms_above=1)
    has(said, 'unsure: ', '19.0 ms or more, the latest more than 70.0 ms')
    lacks(said, 'only')


@pytest.mark.parametrize('low, high, there, absent', [
    (40.5, 42, 'over twice as long', 'cannot'), (15, 90, 'good: ', 'twice'),
    (15, 300, 'cannot tell whether the second key is late', 'good')])
def test_paging_a_second_key_that_takes_twice_as_long_or_is_late_does_so_with_its_whole_interval(low, high, there, absent):
    """Of a median of 41 ms, beside 18 to 20 ms in memory."""
    said = Said('paging', [row(FOUND, level('paged_out_p50_ms', 600, 500, 900), level('in_memory_p50_ms', 19, 18, 20),
                               level('second_paged_out_p50_ms', 41, low, high), paged_out_n=5,
                               second_paged_out_max_ms=900)]).one('second-key')
    has(said, there)
    lacks(said, absent)


def test_paging_of_what_was_read_in_1999_the_mean_alone_has_a_cross():
    curves = Said('paging', runs=[]).curves('first-key')
    assert [{place.x for place in curve.rows} for curve in curves if curve.title.startswith('1999')] == [{1170, 4026}]
